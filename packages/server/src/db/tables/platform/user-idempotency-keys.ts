import type { IdempotencyKeysTable } from '../tenant/idempotency-keys.ts';

/**
 * A user's request with an `Idempotency-Key` that creates a resource outside of tenants. Unique per user, route and
 * key.
 */
export interface UserIdempotencyKeysTable extends IdempotencyKeysTable {
  user_id: string;
  /** The id of the resource, which an attempt that continues an abandoned one keeps. */
  resource_id: string;
}
