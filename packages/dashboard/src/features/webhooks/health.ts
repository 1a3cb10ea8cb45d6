import type { WebhookEndpoint } from '../../api/webhooks.ts';
import { formatNumber } from '../../lib/text.ts';

/** The number of failed deliveries in a row that disable an endpoint. */
export const failuresMax = 10;

/** The largest number that the service counts of each kind of delivery. */
const countedMax = 1_000;

/** Returns a count of the service, which ends at 1,000, as text. */
export function countedText(count: number): string {
  return count >= countedMax ? `${formatNumber(countedMax)}+` : formatNumber(count);
}

/** Returns the status of an endpoint for people. The service says whether it fails, here and in the overview. */
export function shownStatus({ status, health }: WebhookEndpoint): 'enabled' | 'disabled' | 'failing' {
  return health.is_failing ? 'failing' : status;
}

/** Returns a subscription in words: `All events` or `3 event types`. */
export function subscriptionText(events: readonly string[]): string {
  if (events[0] === '*') return 'All events';
  return events.length === 1 ? (events[0] ?? '') : `${events.length} event types`;
}

const errors: Readonly<Record<string, string>> = {
  address_not_allowed: 'The address belongs to a private network',
  cancelled: 'The attempt was interrupted',
  connection_refused: 'The connection was refused',
  connection_reset: 'The connection was closed',
  dns_failed: 'The host name was not found',
  host_unreachable: 'The host cannot be reached',
  request_failed: 'The request failed',
  response_malformed: 'The response is not valid HTTP',
  secret_unreadable: 'The secret cannot be decrypted',
  timeout: 'No response within 15 seconds',
  tls_invalid: 'The TLS certificate is not valid',
  url_invalid: 'The URL is not allowed',
};

/** Returns the outcome of an attempt in words: `500`, or why there was no response. */
export function outcomeText({
  response_status,
  error,
}: {
  readonly response_status: number | null;
  readonly error: string | null;
}): string {
  if (response_status !== null) return `HTTP ${response_status}`;
  return error === null ? 'No response' : (errors[error] ?? error);
}

/** Returns the host and the path of an endpoint's URL, which identify it in a table. */
export function shortUrl(url: string): string {
  return url.replace(/^https:\/\//, '');
}
