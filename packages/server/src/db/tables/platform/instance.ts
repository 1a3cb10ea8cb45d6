import type { Timestamp } from '../../../lib/clock.ts';

/** One row (`id` = 1): facts of this installation. */
export interface InstanceTable {
  id: number;
  /** Fingerprint of the application key, so that a start with a wrong key is refused. */
  app_key_fingerprint: string;
  created_at: Timestamp;
}
