import type { PlatformJob } from '../../../jobs/job.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { isEnded } from './access.ts';
import { billingSyncKind } from './enqueue.ts';
import { notifyOfFailure } from './failure-notice.ts';
import { syncSubscription } from './sync-service.ts';

/** A provider that does not answer is waited for, however long. */
const outageRetrySeconds = 300;

/** Nobody pays for a tenant that is closed, whoever closed it and whenever it was bought. */
async function endSubscription(services: Services, payments: PaymentProvider, providerId: string): Promise<void> {
  await payments.cancelNow(providerId);
  await syncSubscription(services, payments, providerId);
}

/** Makes the copies of a subscription and its invoices anew. That of a closed tenant is canceled. */
export function billingSyncJob(services: Services): PlatformJob {
  return {
    kind: billingSyncKind,
    daily: false,
    async runForPlatform({ subjectId }) {
      const { payments, clock } = services;
      // Without a provider nothing can be read. The daily work enqueues it again when there is one.
      if (payments === null) return null;
      try {
        const result = await syncSubscription(services, payments, subjectId);
        if (result.outcome !== 'written') return null;
        const { subscription, isTenantClosed } = result;
        if (isTenantClosed && !isEnded(subscription.status)) {
          await endSubscription(services, payments, subjectId);
          return null;
        }
        await notifyOfFailure(services, subscription);
        return null;
      } catch (error) {
        if (!(error instanceof PaymentProviderError) || error.reason !== 'unavailable') throw error;
        services.logger.warn({ err: error, subscription: subjectId }, 'the payment provider does not answer');
        return addSeconds(clock.now(), outageRetrySeconds);
      }
    },
  };
}
