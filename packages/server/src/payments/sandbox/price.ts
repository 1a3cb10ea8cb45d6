import { PaymentProviderError, type PlanPrice } from '../provider.ts';

/** Stripe's own limit. With it no product of an amount and the seconds of a period leaves the exact integers. */
const amountMax = 99_999_999;

/** Throws `refused` for a price that no provider takes. */
export function assertPrice({ amount, currency }: Pick<PlanPrice, 'amount' | 'currency'>): void {
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > amountMax) {
    throw new PaymentProviderError('refused', `An amount is a whole number from 0 to ${amountMax}.`);
  }
  if (!/^[a-z]{3}$/.test(currency)) {
    throw new PaymentProviderError('refused', 'A currency is an ISO 4217 code in lower case, such as eur.');
  }
}
