import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import type { ClockServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { lockLicenseRow, policyOf } from '../licenses/service.ts';
import { activationStatus, auditOf } from './activation.ts';
import {
  type Components,
  changedComponents,
  mergeComponents,
  mostSimilar,
  type NamedDevice,
  parseComponents,
} from './components.ts';
import { findActivation, findHeldActivation, findMatching, listKnownDevices, updateActivationRow } from './queries.ts';

/** A device with the fingerprint that it has or that its components give. */
export interface Device {
  readonly fingerprint: string;
  readonly components?: Components | undefined;
}

type Matching = PoliciesTable['fingerprint_matching'];

/**
 * Returns the active activation that is the same device by its components, or undefined. Call it only if none has the
 * fingerprint. Reads nothing for a policy that compares fingerprints exactly, or for a request without components.
 */
export async function findSimilar(
  db: TenantDb['query'],
  licenseId: string,
  matching: Matching,
  components: Components | undefined,
  at: Timestamp,
): Promise<ActivationsTable | undefined> {
  if (components === undefined || matching === 'exact') return undefined;
  const known = (await listKnownDevices(db, licenseId, at)).map(({ id, components_json, last_heartbeat_at }) => ({
    id,
    components: parseComponents(components_json),
    lastSeenAt: last_heartbeat_at,
  }));
  const similar = mostSimilar(known, matching, components);
  return similar && (await findActivation(db, similar.id));
}

/** Returns the function that says whether an active activation of a license is that of a device. */
export async function recogniser(
  db: TenantDb['query'],
  licenseId: string,
  { fingerprint, components }: NamedDevice,
  at: Timestamp,
): Promise<(row: ActivationsTable) => boolean> {
  if (fingerprint === undefined) return () => false;
  const stored = storedFingerprint(fingerprint);
  const isKnown = components === undefined || (await findHeldActivation(db, licenseId, stored)) !== undefined;
  if (isKnown) return (row) => row.fingerprint === stored;
  const similar = await findSimilar(db, licenseId, await findMatching(db, licenseId), components, at);
  return ({ id }) => id === similar?.id;
}

/** What an activation stores about a device that asks, and how that differs from what it stores now. */
function newlyKnown(row: ActivationsTable, fingerprint: string, components: Components) {
  const before = row.components_json === null ? null : parseComponents(row.components_json);
  const after = mergeComponents(before, components);
  const stored = { fingerprint: storedFingerprint(fingerprint), components_json: JSON.stringify(after) };
  const isRenamed = row.fingerprint !== stored.fingerprint;
  const renaming = isRenamed ? [{ field: 'fingerprint', old: row.fingerprint, new: stored.fingerprint }] : [];
  return { stored, changes: [...renaming, ...changedComponents(before, after)] };
}

/**
 * Stores the fingerprint and the components that a device has now with its activation, and returns it; the same row if
 * nothing changed. The next request finds the new fingerprint, and so costs no more than one of an unchanged device. The
 * caller must have locked the license.
 */
export async function storeDevice(
  tx: TenantTransaction,
  actor: Actor,
  row: ActivationsTable,
  { fingerprint, components }: Device,
  at: Timestamp,
): Promise<ActivationsTable> {
  if (components === undefined) return row;
  const { stored, changes } = newlyKnown(row, fingerprint, components);
  if (changes.length === 0) return row;
  await updateActivationRow(tx, row.id, stored);
  await recordAudit(tx, actor, { ...auditOf(row.id, 'ACTIVATION.COMPONENTS_CHANGED'), changes, at });
  return { ...row, ...stored };
}

/**
 * Stores what changed about a device that a validation found in the activation `id`, also when its fingerprint is the same:
 * otherwise a device that gets new parts over the years would be another one on the day on which its fingerprint changes.
 * Returns the activation; undefined if nothing changed, or if the device is not activated any more.
 */
export async function storeChangedDevice(
  { clock }: ClockServices,
  { db }: Tenant,
  actor: Actor,
  { id, licenseId }: { readonly id: string; readonly licenseId: string },
  { fingerprint, components }: { readonly fingerprint: string; readonly components: Components },
): Promise<ActivationsTable | undefined> {
  const known = await findActivation(db.query, id);
  if (known === undefined || newlyKnown(known, fingerprint, components).changes.length === 0) return undefined;
  return await db.transaction(async (tx) => {
    const license = await lockLicenseRow(tx, licenseId);
    if (license === undefined) return undefined;
    const { fingerprint_matching: matching } = await policyOf(tx, license);
    const at = clock.now();
    const held = await findHeldActivation(tx, licenseId, storedFingerprint(fingerprint));
    if (held !== undefined && activationStatus(held, at) !== 'active') return undefined;
    const row = held ?? (await findSimilar(tx, licenseId, matching, components, at));
    return row && (await storeDevice(tx, actor, row, { fingerprint, components }, at));
  });
}
