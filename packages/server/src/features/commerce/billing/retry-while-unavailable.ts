import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';

const outageRetrySeconds = 300;

/**
 * Runs work of a job that queries the provider, and returns when the job is due again. While the provider is
 * unavailable, the work is retried without a limit.
 */
export async function retryWhileUnavailable(
  { clock, logger }: Pick<Services, 'clock' | 'logger'>,
  work: () => Promise<Timestamp | null>,
): Promise<Timestamp | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PaymentProviderError) || error.reason !== 'unavailable') throw error;
    logger.warn({ err: error }, `the payment provider is unavailable; retrying in ${outageRetrySeconds} s`);
    return addSeconds(clock.now(), outageRetrySeconds);
  }
}
