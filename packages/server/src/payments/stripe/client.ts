import Stripe from 'stripe';
import type { StripeConfig } from '../../config/payment-config.ts';

/** The version of Stripe's API that this is written for; the library's types are of it too. */
const apiVersion = '2026-10-28.endive';
const timeoutMs = 20_000;
const networkRetriesMost = 2;

/** Makes the library's client. It retries what did not reach Stripe or was not answered, under the same idempotency key. */
export function createStripeClient({ secretKey, apiUrl }: StripeConfig): Stripe {
  return new Stripe(secretKey, {
    apiVersion,
    timeout: timeoutMs,
    maxNetworkRetries: networkRetriesMost,
    telemetry: false,
    ...(apiUrl !== null && addressOf(new URL(apiUrl))),
  });
}

function addressOf({ hostname, port, protocol }: URL) {
  const isTls = protocol === 'https:';
  return { host: hostname, port: port || (isTls ? '443' : '80'), protocol: isTls ? 'https' : 'http' } as const;
}
