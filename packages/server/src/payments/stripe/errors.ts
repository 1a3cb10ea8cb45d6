import Stripe from 'stripe';
import { PaymentProviderError } from '../provider.ts';

/** What Stripe's errors mean to whoever asked (https://docs.stripe.com/error-handling). Their texts may name people: they stay in `cause`. */
function explained(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode = 0, code, requestId } = error;
  const about = `Stripe answered ${statusCode === 0 ? 'nothing' : statusCode}${code ? ` (${code})` : ''}${requestId ? `, request ${requestId}` : ''}.`;
  const failed = (reason: PaymentProviderError['reason'], advice: string) =>
    new PaymentProviderError(reason, `${advice} ${about}`, { cause: error });
  if (statusCode === 402) return failed('declined', 'The payment was declined.');
  if (statusCode === 404 || code === 'resource_missing') return failed('not_found', 'Stripe does not know this.');
  // A key that was revoked is mended by the operator: what waits for it goes on then.
  if (statusCode === 401 || statusCode === 403) return failed('unavailable', 'Check STRIPE_SECRET_KEY.');
  if (statusCode === 0 || statusCode === 409 || statusCode === 429 || statusCode >= 500) {
    return failed('unavailable', 'Try again later.');
  }
  return failed('refused', 'Stripe refused this.');
}

/** Asks Stripe for something; its errors become `PaymentProviderError`s, here and nowhere else. */
export async function callStripe<Answer>(question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    throw explained(error);
  }
}

/** As `ask`; undefined for what does not exist. */
export async function find<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await callStripe(question);
  } catch (error) {
    if (error instanceof PaymentProviderError && error.reason === 'not_found') return undefined;
    throw error;
  }
}
