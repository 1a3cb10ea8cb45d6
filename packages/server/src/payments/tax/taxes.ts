import type { TaxRules } from '../../config/payment-config.ts';
import { isEuVatId } from '../../lib/vat-id.ts';
import type { TaxLine } from '../provider.ts';

export type { TaxRules } from '../../config/payment-config.ts';

/** Where a customer is taxed. */
export interface TaxLocation {
  /** ISO 3166-1 alpha-2; null when the customer gave no address. */
  readonly country: string | null;
  /** As the customer entered it. */
  readonly taxId: string | null;
}

const unitsPerPercent = 10_000;

/**
 * Returns the tax on an amount that excludes tax, in minor units; a negative amount mirrors the positive one. Empty when
 * the rules apply no tax. A business of another EU country than the seller's owes the tax itself (reverse charge,
 * Directive 2006/112/EC, article 196). A country without a rate has a line that says so.
 */
export function taxesOf(base: number, location: TaxLocation | null, rules: TaxRules): readonly TaxLine[] {
  if (rules.sellerCountry === null || rules.rates.size === 0) return [];
  const country = location?.country ?? null;
  const untaxed = { country, ratePercent: 0, base, amount: 0 };
  if (country === null) return [{ ...untaxed, treatment: 'not_collected' }];
  if (country !== rules.sellerCountry && isEuVatId(location?.taxId ?? null, country)) {
    return [{ ...untaxed, treatment: 'reverse_charge' }];
  }
  const ratePercent = rules.rates.get(country);
  if (ratePercent === undefined) return [{ ...untaxed, treatment: 'not_collected' }];
  return [{ country, ratePercent, treatment: 'standard', base, amount: percentageOf(base, ratePercent) }];
}

/** Returns a percentage of an amount in minor units, exactly, rounded half away from zero. */
export function percentageOf(amount: number, percent: number): number {
  const units = BigInt(Math.round(percent * unitsPerPercent));
  const divisor = 100n * BigInt(unitsPerPercent);
  const product = BigInt(Math.abs(amount)) * units;
  const rounded = Number((2n * product + divisor) / (2n * divisor));
  return amount < 0 && rounded !== 0 ? -rounded : rounded;
}
