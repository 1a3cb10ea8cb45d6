import type { Timestamp } from '../../../lib/clock.ts';

/** A tenant, and where its database is. */
export interface TenantsTable {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  /** `payment`: suspended for an overdue payment, which ends the suspension. Null: not suspended, or by an operator. */
  suspended_for: 'payment' | null;
  plan_code: string;
  /** The limits that override those of the plan. */
  limits_json: string;
  /** `embedded`, or `host:port` of the PostgreSQL server that holds the tenant's database. */
  placement: string;
  /** On PostgreSQL the name of database and role. On SQLite the name of the file; null if it is the tenant's id. */
  database_name: string | null;
  /** The password of the tenant's role, encrypted under the application key; null on SQLite. */
  database_secret: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  closed_at: Timestamp | null;
  /** The id of a running or abandoned move, 32 hexadecimal digits; else null. */
  move_id: string | null;
  /** The end of the move's lease, which the move extends while it runs: afterwards it counts as abandoned. */
  move_expires_at: Timestamp | null;
  /**
   * The time until which writes to the tenant's database are refused, because its move is about to switch the
   * placement. The move extends it during the pause.
   */
  writes_paused_until: Timestamp | null;
}
