import type { Timestamp } from '../../../lib/clock.ts';

/** One of the most recent integration requests that failed after their API key was verified. */
export interface FailedRequestsTable {
  /** Sorts by time. */
  id: string;
  occurred_at: Timestamp;
  request_id: string;
  /** Method and route pattern, which does not contain the license key. */
  route: string;
  status: number;
  code: string;
  api_key_id: string | null;
}
