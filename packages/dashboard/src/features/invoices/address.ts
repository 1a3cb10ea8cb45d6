import type { BillingDetails } from '../../api/billing.ts';
import { countryName } from '../../lib/countries.ts';

/** Returns an address as lines of an envelope. */
export function addressLines(address: NonNullable<BillingDetails['address']>): string[] {
  const { line1, line2, city, postal_code, state, country } = address;
  const town = [postal_code, city].filter(Boolean).join(' ');
  return [line1, line2, town, state, countryName(country)].filter((line): line is string => Boolean(line));
}
