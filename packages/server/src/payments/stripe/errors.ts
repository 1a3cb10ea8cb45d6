import Stripe from 'stripe';
import { PaymentProviderError } from '../provider.ts';

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
