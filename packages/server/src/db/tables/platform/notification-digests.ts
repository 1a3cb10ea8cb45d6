import type { Timestamp } from '../../../lib/clock.ts';

/** The number and time of the last notification mail that a tenant received. */
export interface NotificationDigestsTable {
  tenant_id: string;
  last_number: number;
  mailed_at: Timestamp;
}
