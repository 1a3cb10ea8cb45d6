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
