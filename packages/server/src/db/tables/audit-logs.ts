import type { Timestamp } from '../../lib/clock.ts';

/** A record of an audit log. The table has the same columns in the platform database and in each tenant's. */
export interface AuditLogsTable {
  id: string;
  occurred_at: Timestamp;
  event: string;
  actor_type: 'user' | 'admin' | 'api_key' | 'system';
  actor_id: string | null;
  /** The user who created the access token that acted; null for any other actor. */
  actor_created_by: string | null;
  resource_type: string;
  resource_id: string | null;
  request_id: string | null;
  ip: string | null;
  changes_json: string;
}
