import type { BillingDetails } from '../../api/billing.ts';

/** Returns the name of a country by its ISO code, in the reader's language. */
function countryName(code: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Returns an address as lines of an envelope. */
export function addressLines(address: NonNullable<BillingDetails['address']>): string[] {
  const { line1, line2, city, postal_code, state, country } = address;
  const town = [postal_code, city].filter(Boolean).join(' ');
  return [line1, line2, town, state, countryName(country)].filter((line): line is string => Boolean(line));
}
