import { isCountryCode } from '../lib/countries.ts';
import { readVatId } from '../lib/vat-id.ts';
import type { EnvironmentReader } from './environment-reader.ts';

const paymentProviders = ['none', 'sandbox', 'stripe'] as const;

/** The values of `PAYMENT_PROVIDER`. */
export type PaymentProviderName = (typeof paymentProviders)[number];

/** The access to Stripe's API. Contains secrets: never log it. */
export interface StripeConfig {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Another base URL of the API, for tests; null: Stripe's own. */
  readonly apiUrl: string | null;
  /** True: Stripe Tax calculates the taxes. */
  readonly calculatesTax: boolean;
}

/** Reads `PAYMENT_PROVIDER`; the default is `none`. */
export function readPaymentProvider(reader: EnvironmentReader): PaymentProviderName {
  const text = reader.text('PAYMENT_PROVIDER') ?? 'none';
  const provider = paymentProviders.find((candidate) => candidate === text);
  if (provider === undefined) reader.problem(`PAYMENT_PROVIDER must be one of ${paymentProviders.join(', ')}.`);
  return provider ?? 'none';
}

/** Reads the `STRIPE_*` variables; null for any other provider. The reported problems contain no secrets. */
export function readStripe(reader: EnvironmentReader, provider: PaymentProviderName): StripeConfig | null {
  const calculatesTax = reader.flag('STRIPE_TAX');
  if (provider !== 'stripe') return null;
  const [secretKey, webhookSecret] = [reader.text('STRIPE_SECRET_KEY'), reader.text('STRIPE_WEBHOOK_SECRET')];
  if (secretKey === null || !/^(sk|rk)_(test|live)_\w+$/.test(secretKey)) {
    reader.problem('STRIPE_SECRET_KEY is required with PAYMENT_PROVIDER=stripe: set it to an API key (sk_… or rk_…).');
  }
  if (webhookSecret === null || !/^whsec_\w+$/.test(webhookSecret)) {
    reader.problem(
      'STRIPE_WEBHOOK_SECRET is required with PAYMENT_PROVIDER=stripe: set it to the signing key of its webhook endpoint (whsec_…).',
    );
  }
  const apiUrl = reader.text('STRIPE_API_URL');
  const url = apiUrl === null ? null : URL.parse(apiUrl);
  if (apiUrl !== null && (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)) {
    reader.problem(
      'STRIPE_API_URL must be an http or https URL without path, user and query. Remove it to use Stripe itself.',
    );
  }
  return { secretKey: secretKey ?? '', webhookSecret: webhookSecret ?? '', apiUrl, calculatesTax };
}

/** The seller on invoices. */
export interface Seller {
  readonly name: string;
  /** Its lines are separated by line feeds. */
  readonly address: string;
  readonly taxId: string | null;
}

/** The seller's tax rules. */
export interface TaxRules {
  /** ISO 3166-1 alpha-2; null: no tax is applied. */
  readonly sellerCountry: string | null;
  /** The rate of each country in percent, with at most four decimal places; empty: no tax is applied. */
  readonly rates: ReadonlyMap<string, number>;
}

const hints: Readonly<Record<string, string>> = { UK: ' The United Kingdom is GB.', EL: ' Greece is GR.' };

/** Reads `SELLER_NAME`, `SELLER_ADDRESS`, in which `|` separates lines, and `SELLER_TAX_ID`. */
export function readSeller(reader: EnvironmentReader): Seller {
  const [name, address] = [reader.text('SELLER_NAME') ?? 'Licensing', reader.text('SELLER_ADDRESS') ?? ''];
  if (name.length > 200) reader.problem('SELLER_NAME must have at most 200 characters: shorten it.');
  if (address.length > 500) reader.problem('SELLER_ADDRESS must have at most 500 characters: shorten it.');
  const lines = address.split('|').map((line) => line.trim());
  return { name, address: lines.join('\n'), taxId: readTaxId(reader) };
}

function readTaxId(reader: EnvironmentReader): string | null {
  const [text, country] = [reader.text('SELLER_TAX_ID'), reader.text('SELLER_COUNTRY')];
  if (text === null) return null;
  if (text.length > 64) reader.problem('SELLER_TAX_ID must have at most 64 characters: shorten it.');
  const reading = readVatId(text, country !== null && isCountryCode(country) ? country : null);
  if ('vatId' in reading) return reading.vatId;
  reader.problem(`SELLER_TAX_ID ${reading.problem.replace(/the address(?:'s country)?/, 'SELLER_COUNTRY')}.`);
  return null;
}

/** Reads `SELLER_COUNTRY` and `TAX_RATES`. */
export function readTaxes(reader: EnvironmentReader): TaxRules {
  const sellerCountry = reader.text('SELLER_COUNTRY');
  if (sellerCountry !== null && !isCountryCode(sellerCountry)) {
    reader.problem(
      `SELLER_COUNTRY must be a country code of ISO 3166-1, such as DE: "${sellerCountry}" is not one.${hints[sellerCountry] ?? ''}`,
    );
  }
  const rates = readRates(reader);
  if (rates.size > 0 && sellerCountry === null) {
    reader.problem('SELLER_COUNTRY is required with TAX_RATES: set it to the country of the seller, such as DE.');
  }
  return { sellerCountry, rates };
}

function readRates(reader: EnvironmentReader): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  for (const entry of reader.list('TAX_RATES')) {
    const [, country = '', percent = ''] = /^([A-Z]{2})\s*=\s*(\d{1,3}(?:\.\d{1,4})?)$/.exec(entry) ?? [];
    if (country === '') {
      reader.problem(
        `TAX_RATES must list countries with their rates in percent, like DE=19,CH=8.1: "${entry}" is not such an entry.`,
      );
    } else if (!isCountryCode(country)) {
      reader.problem(
        `TAX_RATES names the country "${country}", which ISO 3166-1 does not have.${hints[country] ?? ''}`,
      );
    } else if (Number(percent) > 100) {
      reader.problem(`TAX_RATES gives ${country} ${percent} %: a rate is at most 100 %.`);
    } else if (rates.has(country)) {
      reader.problem(`TAX_RATES lists ${country} twice: list each country once.`);
    } else rates.set(country, Number(percent));
  }
  return rates;
}
