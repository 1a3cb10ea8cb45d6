import type { PlatformJob } from '../../../jobs/job.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { isEnded } from './access.ts';
import { billingSyncKind } from './enqueue.ts';
import { notifyOfFailure } from './failure-notice.ts';
import { syncSubscription } from './sync-service.ts';
import { notifyOfTrialEnd } from './trial-reminder.ts';

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
        await notifyOfFailure(services, subscription);
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
