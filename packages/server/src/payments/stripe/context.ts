import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import type { Clock, Timestamp } from '../../lib/clock.ts';
import { toTimestamp } from '../../lib/clock.ts';

/** The dependencies of the Stripe provider. */
export interface StripeContext {
  readonly client: Stripe;
  readonly clock: Clock;
  /** The ids of prices by their lookup keys. Both are immutable, so the cache needs no expiry. */
  readonly priceIds: Map<string, string>;
}

/** The metadata key of a subscription that holds the service's own id of its checkout. */
export const referenceKey = 'licensing_reference';

/**
 * Returns the idempotency key of a request (https://docs.stripe.com/api/idempotent_requests). With a name it is the
 * same for every repetition of the request; without one it covers only the retries of the library.
 */
export function once(name?: string): { readonly idempotencyKey: string } {
  return { idempotencyKey: name === undefined ? randomUUID() : `licensing-${name}` };
}

/** Converts Unix seconds, as Stripe uses them. */
export function momentOf(seconds: number): Timestamp {
  return toTimestamp(seconds * 1000);
}

/** Converts optional Unix seconds. */
export function optionalMoment(seconds: number | null | undefined): Timestamp | null {
  return seconds === null || seconds === undefined ? null : momentOf(seconds);
}

/** Returns the id of an object that Stripe returns either expanded or as its id. */
export function idOf(object: string | { readonly id: string } | null): string | null {
  return typeof object === 'string' || object === null ? object : object.id;
}
