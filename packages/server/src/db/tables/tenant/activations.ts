import type { Timestamp } from '../../../lib/clock.ts';

/** The activation of a license on a device, which occupies a seat until it is released. */
export interface ActivationsTable {
  id: string;
  license_id: string;
  /** Unique per license among activations that are not released. */
  fingerprint: string;
  name: string | null;
  hostname: string | null;
  platform: string | null;
  ip: string | null;
  last_heartbeat_at: Timestamp;
  /** Null when the policy has no lease. */
  lease_expires_at: Timestamp | null;
  metadata_json: string;
  created_at: Timestamp;
  /** When it was deactivated or released after its lease expired; null while it occupies a seat. */
  released_at: Timestamp | null;
  release_reason: 'deactivated' | 'lease_expired' | 'license_deleted' | null;
}
