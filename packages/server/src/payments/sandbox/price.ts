import { PaymentProviderError, type PlanPrice } from '../provider.ts';

/**
 * Stripe's limit in minor units. It also keeps the product of an amount and the seconds of a period an exact integer.
 */
const amountMax = 99_999_999;

/** Throws `refused` for a price that providers do not accept. */
export function assertPrice({ amount, currency }: Pick<PlanPrice, 'amount' | 'currency'>): void {
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > amountMax) {
    throw new PaymentProviderError('refused', `An amount must be an integer from 0 to ${amountMax}, in minor units.`);
  }
  if (!/^[a-z]{3}$/.test(currency)) {
    throw new PaymentProviderError('refused', 'A currency must be an ISO 4217 code in lower case, such as eur.');
  }
}
