import type { Timestamp } from '../../../lib/clock.ts';

/** The logs of the platform's administration. */
export interface AdministrationTables {
  billing_authorization_log: BillingAuthorizationsTable;
}

/** A decision of the billing guard: every refusal, and every write that it allowed. */
export interface BillingAuthorizationsTable {
  id: string;
  occurred_at: Timestamp;
  admin_id: string;
  /** The admin's role at that time. */
  role: string;
  method: string;
  /** The path of the request, without its query. */
  path: string;
  allowed: 0 | 1;
  request_id: string;
  ip: string;
}
