import type { Timestamp } from '../../../lib/clock.ts';

/** A creation that was sent with an `Idempotency-Key`. Unique per route and key. */
export interface IdempotencyKeysTable {
  /** Of the attempt that holds the key: whoever takes it over writes another. */
  attempt_id: string;
  /** Method and pattern, such as `POST /api/v1/tenant/licenses`. */
  route: string;
  idempotency_key: string;
  /** HMAC-SHA256 of parameters and body under the application key, hex. */
  request_hash: string;
  /** Until then an attempt without an answer counts as running. */
  lease_expires_at: Timestamp;
  /** Null while the attempt runs. */
  response_status: number | null;
  /** `data` of the answer, with null in place of secrets; null while the attempt runs. */
  response_data_json: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
}
