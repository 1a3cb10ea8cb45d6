import type { Timestamp } from '../../../lib/clock.ts';

/** A creation request with an `Idempotency-Key`. Unique per route and key. */
export interface IdempotencyKeysTable {
  /** The id of the attempt that holds the key. An attempt that takes the key over writes its own id. */
  attempt_id: string;
  /** Method and route pattern, such as `POST /api/v1/tenant/licenses`. */
  route: string;
  idempotency_key: string;
  /** HMAC-SHA256 of parameters and body under the application key, hex. */
  request_hash: string;
  /** The time until which an attempt without a response counts as running. */
  lease_expires_at: Timestamp;
  /** Null while the attempt runs. */
  response_status: number | null;
  /** `data` of the response, with null in place of secrets; null while the attempt runs. */
  response_data_json: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
}
