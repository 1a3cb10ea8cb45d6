import type { Timestamp } from '../../../lib/clock.ts';

/** The last mail of its notifications that a tenant got. */
export interface NotificationDigestsTable {
  tenant_id: string;
  last_number: number;
  mailed_at: Timestamp;
}
