import type Stripe from 'stripe';
import type { TaxLine, TaxTreatment } from '../provider.ts';
import type { StripeContext } from './context.ts';
import { callStripe } from './errors.ts';

/** Returns why a tax has its rate. Reduced and zero rates are rates of the country too. */
function treatmentOf({ taxability_reason: reason }: Stripe.Invoice.TotalTax): TaxTreatment {
  if (reason === 'reverse_charge') return 'reverse_charge';
  const isUntaxed = reason === 'not_collecting' || reason === 'not_subject_to_tax' || reason === 'not_supported';
  return isUntaxed ? 'not_collected' : 'standard';
}

async function findRate(context: StripeContext, tax: Stripe.Invoice.TotalTax): Promise<Stripe.TaxRate | undefined> {
  const id = tax.tax_rate_details?.tax_rate;
  if (id === undefined) return undefined;
  const known = context.taxRates.get(id);
  if (known !== undefined) return known;
  const rate = await callStripe(() => context.client.taxRates.retrieve(id));
  context.taxRates.set(id, rate);
  return rate;
}

/** Returns the taxes of an invoice by rate. Their rates are read separately: an invoice has only their ids. */
export async function readTaxes(context: StripeContext, invoice: Stripe.Invoice): Promise<TaxLine[]> {
  const taxes: TaxLine[] = [];
  for (const tax of invoice.total_taxes ?? []) {
    const rate = await findRate(context, tax);
    const treatment = treatmentOf(tax);
    const percent = rate?.effective_percentage ?? rate?.percentage ?? 0;
    taxes.push({
      country: rate?.country ?? null,
      ratePercent: treatment === 'standard' ? percent : 0,
      treatment,
      base: tax.taxable_amount ?? 0,
      amount: tax.amount,
    });
  }
  return taxes;
}
