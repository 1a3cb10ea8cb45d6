import Stripe from 'stripe';
import type { StripeConfig } from '../../config/payment-config.ts';

/** The version of Stripe's API that this code and the library's types use. */
const apiVersion = '2026-10-28.endive';
const timeoutMs = 20_000;
const networkRetriesMax = 2;

/** Creates the client of Stripe's library. It retries requests without a response under the same idempotency key. */
export function createStripeClient({ secretKey, apiUrl }: StripeConfig): Stripe {
  return new Stripe(secretKey, {
    apiVersion,
    timeout: timeoutMs,
    maxNetworkRetries: networkRetriesMax,
    telemetry: false,
    ...(apiUrl !== null && addressOf(new URL(apiUrl))),
  });
}

function addressOf({ hostname, port, protocol }: URL) {
  const isTls = protocol === 'https:';
  return { host: hostname, port: port || (isTls ? '443' : '80'), protocol: isTls ? 'https' : 'http' } as const;
}
