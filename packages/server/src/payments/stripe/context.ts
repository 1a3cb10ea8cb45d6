import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { type Clock, type Timestamp, toTimestamp } from '../../lib/clock.ts';
import { minorUnitDigits } from '../../lib/money.ts';
import { PaymentProviderError } from '../provider.ts';

/** The dependencies of the Stripe provider. */
export interface StripeContext {
  readonly client: Stripe;
  readonly clock: Clock;
  /** The ids of prices by their lookup keys. Both are immutable, so the cache needs no expiry. */
  readonly priceIds: Map<string, string>;
  /** Tax rates by their ids. The part that is read is immutable. */
  readonly taxRates: Map<string, Stripe.TaxRate>;
  /** Whether Stripe Tax calculates the taxes. */
  readonly calculatesTax: boolean;
}

/**
 * The metadata key that holds the service's own id: of a subscription's checkout, of a single invoice, and of a credit
 * note's refund.
 */
export const referenceKey = 'licensing_reference';

/** The highest number of objects in a page of a list. */
export const pageSizeMax = 100;

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

/** Converts a time to Unix seconds, rounded down. */
export function secondsOf(moment: Timestamp): number {
  return Math.floor(Date.parse(moment) / 1000);
}

/** Returns the first characters of a text, for texts that Stripe limits. */
export function shorten(text: string, length: number): string {
  return Array.from(text).slice(0, length).join('');
}

/** Returns the id of an object that Stripe returns either expanded or as its id. */
export function idOf(object: string | { readonly id: string } | null | undefined): string | null {
  if (object === null || object === undefined) return null;
  return typeof object === 'string' ? object : object.id;
}

// Stripe counts most currencies in hundredths, whatever ISO 4217 says (https://docs.stripe.com/currencies).
const wholeUnits = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
const thousandths = new Set('bhd jod kwd omr tnd'.split(' '));

function stripeDigits(currency: string): number {
  if (wholeUnits.has(currency)) return 0;
  return thousandths.has(currency) ? 3 : 2;
}

/**
 * Returns an amount in the minor unit that Stripe and the service share. Throws `refused` for a currency that Stripe counts
 * in another unit (`isk`: hundredths), and for an amount in thousandths that does not end in 0: Stripe does not round.
 */
export function stripeAmount(amount: number, currency: string): number {
  if (minorUnitDigits(currency) !== stripeDigits(currency)) {
    throw new PaymentProviderError(
      'refused',
      `Stripe counts ${currency.toUpperCase()} in another minor unit than ISO 4217. Use another currency.`,
    );
  }
  if (thousandths.has(currency) && amount % 10 !== 0) {
    throw new PaymentProviderError(
      'refused',
      `Stripe needs amounts in ${currency.toUpperCase()} that are divisible by 10 minor units; ${amount} is not. Round it.`,
    );
  }
  return amount;
}

/**
 * Converts an error of Stripe's library (https://docs.stripe.com/error-handling). Stripe's messages may contain
 * personal data, so they stay in `cause`.
 */
function toProviderError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode = 0, code, requestId } = error;
  const about = `Stripe responded with ${statusCode === 0 ? 'nothing' : statusCode}${code ? ` (${code})` : ''}${requestId ? `, request ${requestId}` : ''}.`;
  const failed = (reason: PaymentProviderError['reason'], advice: string) =>
    new PaymentProviderError(reason, `${advice} ${about}`, { cause: error });
  if (statusCode === 402) return failed('declined', 'The payment was declined.');
  if (statusCode === 404 || code === 'resource_missing') return failed('not_found', 'Stripe has no such object.');
  // The operator replaces a revoked key, so these requests may be retried.
  if (statusCode === 401 || statusCode === 403) return failed('unavailable', 'Check STRIPE_SECRET_KEY.');
  if (statusCode === 0 || statusCode === 409 || statusCode === 429 || statusCode >= 500) {
    return failed('unavailable', 'Try again later.');
  }
  return failed('refused', 'Stripe refused the request.');
}

/** Calls Stripe. The library's errors become `PaymentProviderError`s, here and nowhere else. */
export async function callStripe<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toProviderError(error);
  }
}

/** Like `callStripe`, but returns undefined for an object that does not exist. */
export async function find<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await callStripe(call);
  } catch (error) {
    if (error instanceof PaymentProviderError && error.reason === 'not_found') return undefined;
    throw error;
  }
}
