import type { WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Waits after the first failed scheduled attempt, the second one, and so on. */
const delaysMs = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs] as const;

const jitter = 0.2;
const gone = 410;

type Change = Pick<
  WebhookDeliveriesTable,
  'status' | 'failure_reason' | 'scheduled_attempts' | 'next_trigger' | 'next_attempt_at' | 'resume_at' | 'claimable_at'
>;

/** The consequences of a failed attempt. */
export interface FailedAttempt {
  readonly change: Change;
  /** True if this was the last scheduled attempt. The failure then counts towards disabling the endpoint. */
  readonly exhausts: boolean;
  /** True if the endpoint responded with 410 Gone. */
  readonly gone: boolean;
}

/**
 * Decides what follows a failed attempt that ended at `at`. A manual attempt does not advance the schedule. `random` is
 * in 0..1 and spreads retries.
 */
export function afterFailedAttempt(
  delivery: Pick<WebhookDeliveriesTable, 'next_trigger' | 'scheduled_attempts' | 'resume_at'>,
  result: { readonly responseStatus: number | null; readonly retryAfterMs: number | null },
  at: Timestamp,
  random: number,
): FailedAttempt {
  const isManual = delivery.next_trigger === 'manual';
  const attempts = delivery.scheduled_attempts + (isManual ? 0 : 1);
  if (result.responseStatus === gone) {
    return { change: ending(attempts, 'endpoint_disabled'), exhausts: false, gone: true };
  }
  const next = isManual ? delivery.resume_at : nextAttempt(attempts, result.retryAfterMs, at, random);
  if (next === null) return { change: ending(attempts, 'attempts_exhausted'), exhausts: !isManual, gone: false };
  const change = {
    status: 'pending',
    failure_reason: null,
    scheduled_attempts: attempts,
    next_trigger: 'schedule',
    next_attempt_at: next,
    resume_at: null,
    claimable_at: next,
  } as const;
  return { change, exhausts: false, gone: false };
}

function nextAttempt(attempts: number, retryAfterMs: number | null, at: Timestamp, random: number): Timestamp | null {
  const delayMs = retryDelayMs(attempts, random, retryAfterMs);
  return delayMs === null ? null : addSeconds(at, delayMs / 1000);
}

function ending(attempts: number, reason: WebhookDeliveriesTable['failure_reason']): Change {
  return {
    status: 'failed',
    failure_reason: reason,
    scheduled_attempts: attempts,
    next_trigger: 'schedule',
    next_attempt_at: null,
    resume_at: null,
    claimable_at: null,
  };
}

/**
 * Returns the wait in milliseconds after `attempts` scheduled attempts have failed, or null if no attempt follows.
 * `random` is in 0..1 and spreads the wait by ±20 %. `Retry-After` is honoured between one and two scheduled waits.
 */
export function retryDelayMs(attempts: number, random: number, retryAfterMs: number | null): number | null {
  const delayMs = delaysMs[attempts - 1];
  if (delayMs === undefined) return null;
  if (retryAfterMs !== null) return Math.min(Math.max(retryAfterMs, delayMs), 2 * delayMs);
  return Math.round(delayMs * (1 - jitter + 2 * jitter * random));
}

/** Parses `Retry-After` (RFC 9110): seconds or a date. Returns null for any other value and for a past date. */
export function parseRetryAfterMs(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs;
  const untilMs = /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(untilMs) || untilMs <= nowMs ? null : untilMs - nowMs;
}

/** A failure with a known class. */
export class DeliveryError extends Error {
  readonly failure: FailureClass;

  constructor(failure: FailureClass, cause?: unknown) {
    super(failure, cause === undefined ? undefined : { cause });
    this.name = 'DeliveryError';
    this.failure = failure;
  }
}

/** Why a request received no valid response. Error statuses are recorded separately, as `status_404` and so on. */
export type FailureClass =
  | 'address_not_allowed'
  | 'cancelled'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns_failed'
  | 'host_unreachable'
  | 'request_failed'
  | 'response_malformed'
  | 'secret_unreadable'
  | 'timeout'
  | 'tls_invalid'
  | 'url_invalid';

const classes: readonly (readonly [RegExp, FailureClass])[] = [
  [/^ERR_INVALID_URL$/, 'url_invalid'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_DESTROYED)$/, 'connection_reset'],
  [/^(ENOTFOUND|EAI_)/, 'dns_failed'],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EINVAL|EACCES|EPERM)$/, 'host_unreachable'],
  [/^(ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'timeout'],
  [/^UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/, 'response_malformed'],
  [/^(EPROTO|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/, 'tls_invalid'],
];

/** Returns the class of an error: a name that reveals neither addresses nor secrets. */
export function classifyFailure(error: unknown): FailureClass {
  if (error instanceof DeliveryError) return error.failure;
  const code = codeOf(error);
  const known = classes.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return known[1];
  // Errors of undici's parser have no code.
  return error instanceof Error && error.name === 'HTTPParserError' ? 'response_malformed' : 'request_failed';
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const code = Reflect.get(error, 'code');
  if (typeof code === 'string') return code;
  // No address of several could be reached: the first error is used.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}
