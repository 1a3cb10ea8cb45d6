import type { Timestamp } from '../../../lib/clock.ts';
import type { Flag } from '../shared-tables.ts';

/** A device that had a trial of a product. */
export interface TrialsTable {
  id: string;
  product_id: string;
  license_id: string;
  /** Unique per product: a device has one trial. */
  fingerprint: string;
  /** The folded address, or its hash after an erasure; unique per product. Null without an address and for a further device. */
  email_key: string | null;
  /** 0: a further device of the trial of an address. */
  is_first: Flag;
  started_at: Timestamp;
  /** When the license got a policy other than a trial; null before. */
  converted_at: Timestamp | null;
}

/** A trial whose address is not confirmed. Its code works until the row expires. */
export interface TrialRequestsTable {
  id: string;
  product_id: string;
  /** Unique per product: a later request of the device replaces the former one. */
  fingerprint: string;
  email: string;
  name: string | null;
  /** The device's name, host name and platform, as the activation will have them. */
  device_json: string;
  /** HMAC-SHA256 of the code under the application key. */
  code_hash: string;
  created_at: Timestamp;
  expires_at: Timestamp;
}
