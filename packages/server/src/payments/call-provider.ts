import { AppError } from '../lib/error.ts';
import type { ErrorCode } from '../lib/error-codes.ts';
import { type PaymentProvider, PaymentProviderError } from './provider.ts';

/** Returns the configured payment provider. Throws 409 `BILLING.NO_PROVIDER` without one. */
export function requirePayments({ payments }: { readonly payments: PaymentProvider | null }): PaymentProvider {
  if (payments !== null) return payments;
  throw new AppError(
    'BILLING.NO_PROVIDER',
    'This service has no payment provider, so nothing can be bought. Ask its operator to set PAYMENT_PROVIDER.',
  );
}

const retryAfterSeconds = 10;

type Reason = PaymentProviderError['reason'];

const responses: Readonly<Record<Reason, readonly [code: ErrorCode, message: string]>> = {
  declined: [
    'BILLING.PAYMENT_FAILED',
    'The payment was declined, and nothing has changed. Check the card in the billing portal, then try again.',
  ],
  unavailable: [
    'SERVICE.UNAVAILABLE',
    `The payment provider is unavailable. Try again in ${retryAfterSeconds} seconds.`,
  ],
  not_found: ['BILLING.REFUSED', 'The payment provider no longer has this object. Reload, then try again.'],
  refused: [
    'BILLING.REFUSED',
    'The payment provider refused the request in the present state. Reload to see the state.',
  ],
};

/**
 * Returns the provider's message if this service wrote it for the caller: the reason of a refusal and the remedy.
 * Converted errors have a cause; their messages are for the operator.
 */
function ownMessage({ reason, cause, message }: PaymentProviderError): string | undefined {
  return reason === 'refused' && cause === undefined ? message : undefined;
}

/**
 * Converts an error of the provider to the error of the API. `message` replaces the provider's own message, or the default
 * one. An unavailable provider becomes a 503 with `Retry-After: 10`.
 */
export function toAppError(error: PaymentProviderError, message = ownMessage(error)): AppError {
  const [code, defaultMessage] = responses[error.reason];
  const headers = error.reason === 'unavailable' && { headers: { 'retry-after': String(retryAfterSeconds) } };
  return new AppError(code, message ?? defaultMessage, { ...headers, cause: error });
}

/** Calls the provider for a request of the API: a `PaymentProviderError` becomes an error of the API. */
export async function callProvider<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof PaymentProviderError ? toAppError(error) : error;
  }
}
