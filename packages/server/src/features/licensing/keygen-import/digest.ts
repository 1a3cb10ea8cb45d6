import { createHash } from 'node:crypto';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';

/** Returns a digest of 128 bits. Equal states have equal digests, so both sides must list their fields in one order. */
export function digestOf(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest().subarray(0, 16).toString('base64url');
}

/** The digests of three states of a resource. */
interface Digests {
  /** What the last import wrote. */
  readonly last: string;
  /** The state in Keygen. */
  readonly theirs: string;
  /** Our state. */
  readonly ours: string;
}

/**
 * Returns what to do with a resource that was imported before: nothing if Keygen's state is as before or equal to ours,
 * an update if only Keygen's changed, and a conflict if both changed. With `overwrites`, Keygen's state always wins.
 */
export function compareDigests(
  { last, theirs, ours }: Digests,
  overwrites: boolean,
): 'unchanged' | 'updated' | 'conflict' {
  if (theirs === ours || (theirs === last && !overwrites)) return 'unchanged';
  return ours === last || overwrites ? 'updated' : 'conflict';
}

/** Returns the digest of the imported fields of a license. */
export function licenseDigest(row: LicensesTable): string {
  return digestOf([
    row.policy_id,
    row.key,
    row.status,
    row.holder_name,
    row.holder_email,
    row.holder_reference,
    row.starts_at,
    row.expires_at,
    row.maintenance_expires_at,
    row.max_activations,
    row.entitlements_json,
    row.metadata_json,
  ]);
}

type DescribedActivation = Pick<
  ActivationsTable,
  'fingerprint' | 'name' | 'hostname' | 'platform' | 'ip' | 'metadata_json'
>;

/** Returns the digest of the imported fields of an activation. */
export function activationDigest(row: DescribedActivation): string {
  return digestOf([row.fingerprint, row.name, row.hostname, row.platform, row.ip, row.metadata_json]);
}
