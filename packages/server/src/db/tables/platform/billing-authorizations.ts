import type { Timestamp } from '../../../lib/clock.ts';

// What the administration of the platform keeps beside the things that it administers.

export interface AdministrationTables {
  billing_authorization_log: BillingAuthorizationsTable;
}

/** A decision of the billing gate: each that refused, and each that let a write pass. */
export interface BillingAuthorizationsTable {
  id: string;
  occurred_at: Timestamp;
  admin_id: string;
  /** The role that the admin had then. */
  role: string;
  method: string;
  /** As it was sent, without its query. */
  path: string;
  allowed: 0 | 1;
  request_id: string;
  ip: string;
}
