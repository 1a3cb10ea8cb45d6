import type { PlatformJob } from '../../../jobs/job.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { listPendingRefunds, listStaleSingleInvoices } from '../invoices/service.ts';
import { reconcileCheckouts } from './checkout-service.ts';
import { findNextCheck, listDueChecks, listStale, postponeChecks } from './due-queries.ts';
import {
  billingSyncKind,
  dunningKind,
  enqueueBillingSync,
  enqueueDunning,
  enqueueInvoiceSync,
  enqueueRefund,
  invoiceSyncKind,
  retryWhileUnavailable,
} from './enqueue.ts';
import { syncInvoice } from './invoice-sync-service.ts';
import { notifyOfTrialEnd, reportPaymentState } from './notices.ts';
import { isEnded } from './rules.ts';
import { syncSubscription } from './sync-service.ts';

/** While the provider is unavailable, a sync is retried at this interval without a limit. */
const outageRetrySeconds = 300;

/** Cancels the subscription of a closed tenant at the provider, so that it is not charged again, and syncs it. */
async function cancelSubscription(services: Services, payments: PaymentProvider, providerId: string): Promise<void> {
  await payments.cancelNow(providerId);
  await syncSubscription(services, payments, providerId);
}

/** Syncs a subscription and its invoices. Cancels the subscription of a closed tenant. */
export function billingSyncJob(services: Services): PlatformJob {
  return {
    kind: billingSyncKind,
    daily: false,
    async runForPlatform({ subjectId }) {
      const { payments, clock } = services;
      // Without a provider there is nothing to sync. The daily reconciliation enqueues it again once there is one.
      if (payments === null) return null;
      try {
        const result = await syncSubscription(services, payments, subjectId);
        if (result.outcome !== 'written') return null;
        const { subscription, isTenantClosed, now } = result;
        if (isTenantClosed && !isEnded(subscription.status)) {
          await cancelSubscription(services, payments, subjectId);
          return null;
        }
        await reportPaymentState(services, subscription);
        await notifyOfTrialEnd(services, subscription, now);
        return null;
      } catch (error) {
        if (!(error instanceof PaymentProviderError) || error.reason !== 'unavailable') throw error;
        services.logger.warn(
          { err: error, subscription: subjectId },
          `the payment provider is unavailable; retrying the sync in ${outageRetrySeconds} s`,
        );
        return addSeconds(clock.now(), outageRetrySeconds);
      }
    },
  };
}

/** Syncs an invoice. The subject is its id at the provider. */
export function invoiceSyncJob(services: Services): PlatformJob {
  return {
    kind: invoiceSyncKind,
    daily: false,
    async runForPlatform({ subjectId }) {
      const { payments } = services;
      // Without a provider there is nothing to sync. The daily reconciliation enqueues it again once there is one.
      if (payments === null) return null;
      return await retryWhileUnavailable(services, async () => {
        await syncInvoice(services, payments, subjectId);
        return null;
      });
    },
  };
}

const batchSize = 100;
/** A subscription is not enqueued again for this long, while its sync runs or fails. */
const postponedSeconds = 3600;
/** Syncs per daily reconciliation at most; the following days sync the rest. */
const reconciledMax = 2_000;
/** A paid single invoice is synced daily for this long, because it may be refunded at the provider. */
const refundableDays = 180;

/** Converts a time of the provider's clock to the service's clock: the wait from now is the same. */
function toServiceTime(services: Services, moment: Timestamp, providerNow: Timestamp): Timestamp {
  const waitMs = Math.max(0, toEpochMs(moment) - toEpochMs(providerNow));
  return toTimestamp(services.clock.nowMs() + waitMs);
}

/** Enqueues a sync for one batch of due subscriptions. Returns the size of the batch. */
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

/** Enqueues every due sync. Returns when the next one is due, by the service's clock. */
async function enqueueAllDue(services: Services, payments: PaymentProvider, signal: AbortSignal) {
  const providerNow = await payments.now();
  while ((await enqueueDue(services, providerNow)) === batchSize && !signal.aborted);
  const next = await findNextCheck(services.platform);
  return next === null ? null : toServiceTime(services, next, providerNow);
}

/**
 * Enqueues syncs at times that no event reports: the stages and the end of a grace period, the ends of periods, trials
 * and discounts, and the reminders of trials. The sync decides what follows, so that a suspension has one code path.
 */
export function dunningJob(services: Services): PlatformJob {
  return {
    kind: dunningKind,
    daily: true,
    async runForPlatform({ signal }) {
      const { payments } = services;
      return payments === null
        ? null
        : await retryWhileUnavailable(services, () => enqueueAllDue(services, payments, signal));
    },
  };
}

async function reconcile(services: Services, payments: PaymentProvider, signal: AbortSignal): Promise<null> {
  const { platform, clock } = services;
  // Twelve hours: a run that starts a little early still includes the subscriptions that the previous day's run synced.
  const before = addDays(clock.now(), -0.5);
  await reconcileCheckouts(services, payments, before);
  const stale = await listStale(platform, payments.name, before, reconciledMax);
  for (let start = 0; start < stale.length && !signal.aborted; start += batchSize) {
    await platform.transaction(async (tx) => {
      const at = clock.now();
      for (const { provider_subscription_id } of stale.slice(start, start + batchSize)) {
        await enqueueBillingSync(tx, provider_subscription_id, at);
      }
      await enqueueDunning(tx, at);
    });
  }
  await reconcileInvoices(services, payments, before);
  services.wakeUps.wakeRunner();
  return null;
}

/** Enqueues a sync of the single invoices that may still change, and the completion of every pending refund. */
async function reconcileInvoices(services: Services, payments: PaymentProvider, before: Timestamp): Promise<void> {
  const { platform, clock } = services;
  const paidSince = addDays(await payments.now(), -refundableDays);
  const stale = { provider: payments.name, before, paidSince };
  const invoices = await listStaleSingleInvoices(platform, stale, reconciledMax);
  const refunds = await listPendingRefunds(platform, before, reconciledMax);
  await platform.transaction(async (tx) => {
    const at = clock.now();
    for (const id of invoices) await enqueueInvoiceSync(tx, id, at);
    for (const id of refunds) await enqueueRefund(tx, id, at);
  });
}

/**
 * Enqueues a sync of every subscription that has not ended and of the single invoices once a day, to make up for lost
 * events.
 */
export function reconciliationJob(services: Services): PlatformJob {
  return {
    kind: 'billing-reconciliation',
    daily: true,
    async runForPlatform({ signal }) {
      const { payments } = services;
      return payments === null
        ? null
        : await retryWhileUnavailable(services, () => reconcile(services, payments, signal));
    },
  };
}
