import type Stripe from 'stripe';
import { euCountries, readVatId } from '../../lib/vat-id.ts';
import type { TaxLine, TaxTreatment } from '../provider.ts';
import { callStripe, type StripeContext } from './context.ts';

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

/** A tax id in Stripe's terms (https://docs.stripe.com/billing/customer/tax-ids). */
export interface StripeTaxId {
  readonly type: Stripe.CustomerCreateTaxIdParams.Type;
  readonly value: string;
}

/** The type and the pattern (without separators) of tax ids, for countries with one common kind of tax id. */
const typesByCountry: Readonly<Record<string, readonly [type: StripeTaxId['type'], pattern: RegExp]>> = {
  AE: ['ae_trn', /^\d{15}$/],
  AU: ['au_abn', /^\d{11}$/],
  CA: ['ca_gst_hst', /^\d{9}RT\d{4}$/],
  CL: ['cl_tin', /^\d{7,8}[\dK]$/],
  IN: ['in_gst', /^\d{2}[A-Z]{5}\d{4}[A-Z][\dA-Z]Z[\dA-Z]$/],
  IS: ['is_vat', /^\d{5,6}$/],
  JP: ['jp_trn', /^T\d{13}$/],
  KR: ['kr_brn', /^\d{10}$/],
  MX: ['mx_rfc', /^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/],
  NZ: ['nz_gst', /^\d{8,9}$/],
  SA: ['sa_vat', /^\d{15}$/],
  SG: ['sg_gst', /^M[\dA-Z]{9}$/],
  TH: ['th_vat', /^\d{13}$/],
  TW: ['tw_vat', /^\d{8}$/],
  UA: ['ua_vat', /^\d{10,12}$/],
  US: ['us_ein', /^\d{9}$/],
  ZA: ['za_vat', /^4\d{9}$/],
};

/** Returns a VAT id of Europe in Stripe's terms. `vatId` has its prefix and no separators. */
function toEuropeanTaxId(vatId: string): StripeTaxId | undefined {
  const prefix = /^(CHE|[A-Z]{2})/.exec(vatId)?.[0] ?? '';
  if (prefix === 'CHE') return { type: 'ch_vat', value: toSwissVat(vatId) };
  if (prefix === 'NO') return { type: 'no_vat', value: `${vatId.replace(/\D/g, '')}MVA` };
  if (prefix === 'GB') return { type: 'gb_vat', value: vatId };
  const isEu = prefix === 'XI' || prefix === 'EL' || euCountries.has(prefix);
  return isEu ? { type: 'eu_vat', value: vatId } : undefined;
}

/**
 * Returns the type and the value of a tax id as Stripe expects them; undefined if the type is unknown. `country` is the
 * country of the address, ISO 3166-1 alpha-2.
 */
export function toStripeTaxId(taxId: string, country: string | null): StripeTaxId | undefined {
  const [type, pattern] = typesByCountry[country ?? ''] ?? [];
  if (type === undefined || pattern === undefined) {
    const read = readVatId(taxId, country);
    return 'vatId' in read ? toEuropeanTaxId(read.vatId) : undefined;
  }
  const value = taxId.replace(/[\s./_-]+/g, '').toUpperCase();
  if (!pattern.test(value)) return undefined;
  return { type, value: type === 'us_ein' ? `${value.slice(0, 2)}-${value.slice(2)}` : value };
}

/** Writes a Swiss VAT id as Stripe expects it: `CHE-123.456.788 MWST`. */
function toSwissVat(value: string): string {
  const digits = value.replace(/\D/g, '');
  const suffix = /(MWST|TVA|IVA)$/.exec(value)?.[0] ?? 'MWST';
  return `CHE-${digits.slice(0, 3)}.${digits.slice(3, 6)}.${digits.slice(6)} ${suffix}`;
}
