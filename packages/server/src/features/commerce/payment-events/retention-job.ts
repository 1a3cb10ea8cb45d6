import type { PlatformJob } from '../../../jobs/job.ts';
import { addDays } from '../../../lib/duration.ts';
import type { PlatformServices } from '../../../services.ts';
import { trimPaymentEvents } from './queries.ts';

/** Longer than any provider retries an event, so that no event is processed twice. */
const keptForDays = 90;
const batchSize = 1_000;

/** Deletes payment events 90 days after they were received. */
export function paymentEventRetentionJob({ platform, clock }: PlatformServices): PlatformJob {
  return {
    kind: 'payment-event-retention',
    daily: true,
    async runForPlatform({ signal }) {
      const cutoff = addDays(clock.now(), -keptForDays);
      while (await trimPaymentEvents(platform, cutoff, batchSize)) {
        if (signal.aborted) return clock.now();
      }
      return null;
    },
  };
}
