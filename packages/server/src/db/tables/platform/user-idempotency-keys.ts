import type { IdempotencyKeysTable } from '../tenant/idempotency-keys.ts';

/**
 * The request of a user or an admin with an `Idempotency-Key` that creates a resource outside of tenants. Unique per
 * person, route and key.
 */
export interface UserIdempotencyKeysTable extends IdempotencyKeysTable {
  /** The id of the user or of the admin. */
  user_id: string;
  /** The id of the resource, which an attempt that continues an abandoned one keeps. */
  resource_id: string;
}
