import type { PlatformJob } from '../../../jobs/job.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { reconcileCheckouts } from './checkout-service.ts';
import { findNextCheck, listDueChecks, listStale, postponeChecks } from './due-queries.ts';
import { dunningKind, enqueueBillingSync, enqueueDunning } from './enqueue.ts';

const batchSize = 100;
/** While a reading is under way, or fails, nobody asks for another. */
const postponedSeconds = 3600;
const outageRetrySeconds = 300;
/** A day's reconciliation asks the provider no more often than this; the rest is read on the days that follow. */
const reconciledMost = 2_000;

/** The moment of our clock that is as far away as a moment of the provider's is from its present. */
function ours(services: Services, moment: Timestamp, providerNow: Timestamp): Timestamp {
  const waitMs = Math.max(0, toEpochMs(moment) - toEpochMs(providerNow));
  return toTimestamp(services.clock.nowMs() + waitMs);
}

async function enqueueDue(services: Services, providerNow: Timestamp): Promise<number> {
  const due = await listDueChecks(services.platform, providerNow, batchSize);
  const at = services.clock.now();
  await services.platform.transaction(async (tx) => {
    for (const { provider_subscription_id } of due) await enqueueBillingSync(tx, provider_subscription_id, at);
    await postponeChecks(
      tx,
      due.map(({ id }) => id),
      addSeconds(providerNow, postponedSeconds),
    );
  });
  services.wakeUps.wakeRunner();
  return due.length;
}

async function lookForDue(services: Services, payments: PaymentProvider, signal: AbortSignal) {
  const providerNow = await payments.now();
  while ((await enqueueDue(services, providerNow)) === batchSize && !signal.aborted);
  const next = await findNextCheck(services.platform);
  return next === null ? null : ours(services, next, providerNow);
}

/** What asks the provider: one that does not answer is waited for, however long. */
async function unlessOut(
  { clock, logger }: Services,
  work: () => Promise<Timestamp | null>,
): Promise<Timestamp | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PaymentProviderError) || error.reason !== 'unavailable') throw error;
    logger.warn({ err: error }, 'the payment provider does not answer; its subscriptions are looked at later');
    return addSeconds(clock.now(), outageRetrySeconds);
  }
}

/**
 * Has subscriptions read again at the moments that no event tells of: the stages and the end of a time of grace, and the
 * ends of periods and trials. What follows of it is decided where they are read, so that there is one way to a suspension.
 */
export function dunningJob(services: Services): PlatformJob {
  return {
    kind: dunningKind,
    daily: true,
    async runForPlatform({ signal }) {
      const { payments } = services;
      return payments === null ? null : await unlessOut(services, () => lookForDue(services, payments, signal));
    },
  };
}

async function reconcile(services: Services, payments: PaymentProvider, signal: AbortSignal): Promise<null> {
  const { platform, clock } = services;
  // Twelve hours, so that a day which begins a little early still finds what was read the day before.
  const before = addDays(clock.now(), -0.5);
  await reconcileCheckouts(services, payments, before);
  const stale = await listStale(platform, payments.name, before, reconciledMost);
  for (let start = 0; start < stale.length && !signal.aborted; start += batchSize) {
    await platform.transaction(async (tx) => {
      const at = clock.now();
      for (const { provider_subscription_id } of stale.slice(start, start + batchSize)) {
        await enqueueBillingSync(tx, provider_subscription_id, at);
      }
      await enqueueDunning(tx, at);
    });
  }
  services.wakeUps.wakeRunner();
  return null;
}

/** Has every subscription that has not ended read again once a day, so that lost events heal. */
export function reconciliationJob(services: Services): PlatformJob {
  return {
    kind: 'billing-reconciliation',
    daily: true,
    async runForPlatform({ signal }) {
      const { payments } = services;
      return payments === null ? null : await unlessOut(services, () => reconcile(services, payments, signal));
    },
  };
}
