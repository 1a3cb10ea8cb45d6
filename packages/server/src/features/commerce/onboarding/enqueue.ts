import type { PlatformTransaction } from '../../../db/database.ts';
import { enqueueJob } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Job kind: continues a checkout: reads whether it is paid, then provisions. The subject is the checkout's id. */
export const onboardingKind = 'onboarding';

/**
 * Enqueues the continuation of a checkout at `dueAt`, in the caller's transaction. An id without a checkout has no
 * effect. Callers call `wakeUps.wakeRunner` after the commit.
 */
export async function enqueueOnboarding(
  tx: PlatformTransaction,
  checkoutId: string,
  at: Timestamp,
  dueAt = at,
): Promise<void> {
  await enqueueJob(tx, { subjectId: checkoutId, kind: onboardingKind, dueAt }, at);
}
