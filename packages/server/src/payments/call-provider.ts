import { AppError } from '../lib/error.ts';
import type { ErrorCode } from '../lib/error-codes.ts';
import { type PaymentProvider, PaymentProviderError } from './provider.ts';

/** The provider, where one is configured. Throws 409 `BILLING.NO_PROVIDER`. */
export function requirePayments({ payments }: { readonly payments: PaymentProvider | null }): PaymentProvider {
  if (payments !== null) return payments;
  throw new AppError(
    'BILLING.NO_PROVIDER',
    'Nothing can be bought here: this service has no payment provider. Ask its operator to set PAYMENT_PROVIDER.',
  );
}

const retryAfterSeconds = 10;

type Reason = PaymentProviderError['reason'];

const answers: Readonly<Record<Reason, readonly [code: ErrorCode, message: string]>> = {
  declined: [
    'BILLING.PAYMENT_FAILED',
    'The payment was declined and nothing has changed. Check the card in the portal, and try again.',
  ],
  unavailable: ['SERVICE.UNAVAILABLE', 'The payment provider does not answer. Try again in a moment.'],
  not_found: ['BILLING.REFUSED', 'The payment provider does not know this any more. Reload and try again.'],
  refused: ['BILLING.REFUSED', 'The payment provider refused this in its present state. Reload first.'],
};

/** The answer to a request for which the provider did not do what it was asked; `message` where its own words help. */
export function toAppError(error: PaymentProviderError, message?: string): AppError {
  const [code, usual] = answers[error.reason];
  const headers = error.reason === 'unavailable' && { headers: { 'retry-after': String(retryAfterSeconds) } };
  return new AppError(code, message ?? usual, { ...headers, cause: error });
}

/** Asks the provider for something on behalf of a caller: its errors become answers. */
export async function callProvider<Answer>(question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    throw error instanceof PaymentProviderError ? toAppError(error) : error;
  }
}
