import { AppError } from '../../lib/error.ts';
import { type PaymentProvider, PaymentProviderError } from '../../payments/provider.ts';

/** The provider, where one is configured. Throws 409 `BILLING.NO_PROVIDER`. */
export function requirePayments({ payments }: { readonly payments: PaymentProvider | null }): PaymentProvider {
  if (payments !== null) return payments;
  throw new AppError(
    'BILLING.NO_PROVIDER',
    'Nothing can be bought here: this service has no payment provider. Ask its operator to set PAYMENT_PROVIDER.',
  );
}

const retryAfterSeconds = 30;

/** The answer to a request that the provider did not do what it was asked for. */
function answerFor(error: PaymentProviderError): AppError {
  switch (error.reason) {
    case 'declined':
      return new AppError(
        'BILLING.PAYMENT_FAILED',
        'The payment was declined and nothing has changed. Check the card in the portal, and try again.',
        { cause: error },
      );
    case 'unavailable':
      return new AppError('SERVICE.UNAVAILABLE', 'The payment provider does not answer. Try again in a moment.', {
        headers: { 'Retry-After': String(retryAfterSeconds) },
        cause: error,
      });
    case 'not_found':
      return new AppError(
        'BILLING.REFUSED',
        'The payment provider does not know this any more. Reload and try again.',
        {
          cause: error,
        },
      );
    case 'refused':
      return new AppError('BILLING.REFUSED', 'The payment provider refused this in its present state. Reload first.', {
        cause: error,
      });
  }
}

/** Asks the provider for something on behalf of a caller: its errors become answers, here and nowhere else. */
export async function askProvider<Answer>(question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    throw error instanceof PaymentProviderError ? answerFor(error) : error;
  }
}
