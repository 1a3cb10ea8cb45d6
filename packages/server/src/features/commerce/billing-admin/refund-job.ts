import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { refundKind, retryWhileUnavailable } from '../billing/enqueue.ts';
import { completePendingRefund } from './refund-service.ts';

/** Completes refunds that a crash or an unavailable provider left pending. */
export function refundJob(services: Services): PlatformJob {
  return {
    kind: refundKind,
    daily: false,
    async runForPlatform({ subjectId }) {
      const { payments } = services;
      // The daily reconciliation enqueues it again once there is a provider.
      if (payments === null) return null;
      return await retryWhileUnavailable(services, async () => {
        await completePendingRefund(services, payments, subjectId);
        return null;
      });
    },
  };
}
