import type { Timestamp } from '../../../lib/clock.ts';

/** One of the last Integration requests that failed after its key was known. */
export interface FailedRequestsTable {
  /** In the order of time. */
  id: string;
  occurred_at: Timestamp;
  request_id: string;
  /** Method and pattern, which holds no license key. */
  route: string;
  status: number;
  code: string;
  api_key_id: string | null;
}
