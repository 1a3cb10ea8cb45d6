import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { auditsOf } from '../../tenant-core/audit/audit.ts';
import { parseComponents } from './components.ts';
import type { Activation, ActivationDetails, LicensedDevice } from './schemas.ts';

/** Returns the audit fields that identify an activation. */
export const auditOf = auditsOf('activation');

/** An activation with the columns by which people recognise its license. */
export interface DetailedActivation
  extends ActivationsTable,
    Pick<LicensesTable, 'holder_name' | 'holder_email' | 'holder_reference'> {
  readonly license_key: string;
}

/** The job kind of the lease job. */
export const leaseJobKind = 'leases';

/** `expired` and `deactivated` activations hold no seat. */
export type ActivationStatus = Activation['status'];

/**
 * Returns the status at `now`. A lease ends exactly at `lease_expires_at`, and the seat is free from then on without a
 * write. `hasStatus` in queries.ts is the same rule in SQL.
 */
export function activationStatus(
  row: Pick<ActivationsTable, 'released_at' | 'release_reason' | 'lease_expires_at'>,
  now: Timestamp,
): ActivationStatus {
  if (row.released_at !== null) return row.release_reason === 'lease_expired' ? 'expired' : 'deactivated';
  return row.lease_expires_at !== null && now >= row.lease_expires_at ? 'expired' : 'active';
}

/** Returns the end of a lease that is renewed at `now`; null when the policy has no lease. */
export function leaseEnd(policy: Pick<PoliciesTable, 'lease_seconds'>, now: Timestamp): Timestamp | null {
  return policy.lease_seconds === null ? null : addSeconds(now, policy.lease_seconds);
}

/** Returns the API representation of an activation at `now`. */
export function presentActivation(row: ActivationsTable, now: Timestamp): Activation {
  return {
    id: row.id,
    license_id: row.license_id,
    fingerprint: row.fingerprint,
    name: row.name,
    hostname: row.hostname,
    platform: row.platform,
    ip: row.ip,
    status: activationStatus(row, now),
    last_heartbeat_at: row.last_heartbeat_at,
    lease_expires_at: row.lease_expires_at,
    metadata: row.metadata_json === '{}' ? {} : JSON.parse(row.metadata_json),
    created_at: row.created_at,
  };
}

/** Returns the API representation of an activation at `now`, with its license. */
export function presentActivationDetails(row: DetailedActivation, now: Timestamp): ActivationDetails {
  const { holder_name: name, holder_email: email, holder_reference: reference, license_key: key } = row;
  const components = row.components_json === null ? [] : Object.keys(parseComponents(row.components_json).present);
  return { ...presentActivation(row, now), components, license: { key, holder: { name, email, reference } } };
}

const shownCharactersMax = 4;

/**
 * Returns the beginning of a name: its device is recognised by whoever knows it, and its owner is not revealed to others.
 * Characters are code points, so that none is cut in two.
 */
export function maskedName(name: string | null): string | null {
  if (name === null) return null;
  const characters = [...name];
  const shown = Math.min(shownCharactersMax, Math.floor(characters.length / 2));
  return `${characters.slice(0, shown).join('').trimEnd()}…`;
}

/** Returns an activation as the holder of its license may see it: without fingerprint, address and metadata. */
export function presentLicensedDevice(row: ActivationsTable, isThisDevice: boolean): LicensedDevice {
  return {
    id: row.id,
    name: maskedName(row.name ?? row.hostname),
    platform: row.platform,
    last_heartbeat_at: row.last_heartbeat_at,
    created_at: row.created_at,
    is_this_device: isThisDevice,
  };
}
