import type { WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { retryDelayMs } from './retry-schedule.ts';
import type { SendResult } from './sender.ts';

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
  result: Pick<SendResult, 'responseStatus' | 'retryAfterMs'>,
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
