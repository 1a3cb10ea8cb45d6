import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { invoiceSyncKind } from './enqueue.ts';
import { syncInvoice } from './invoice-sync-service.ts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';

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
