import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { onboardingKind } from './payment-service.ts';
import { advanceCheckout } from './provisioning-service.ts';

/** Creating a database takes a second, so a few checkouts run concurrently. */
const slots = 4;

/** Continues checkouts: after a payment, after a crash, and when they expire. */
export function onboardingJob(services: Services): PlatformJob {
  return {
    kind: onboardingKind,
    daily: false,
    slots,
    outlastsCrashes: true,
    runForPlatform: ({ subjectId }) => advanceCheckout(services, subjectId),
  };
}
