import { minorUnitDigits } from '../../lib/money.ts';
import { PaymentProviderError } from '../provider.ts';

// Stripe counts most currencies in hundredths, whatever ISO 4217 says (https://docs.stripe.com/currencies).
const wholeUnits = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
const thousandths = new Set('bhd jod kwd omr tnd'.split(' '));

function stripeDigits(currency: string): number {
  if (wholeUnits.has(currency)) return 0;
  return thousandths.has(currency) ? 3 : 2;
}

/**
 * Returns an amount in the minor unit that Stripe and the service share. Throws `refused` for a currency that Stripe counts
 * in another unit (`isk`: hundredths), and for an amount in thousandths that does not end in 0: Stripe rounds none.
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
