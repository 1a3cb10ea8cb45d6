import type { PlatformJob } from '../../../jobs/job.ts';
import { onboardingKind } from './enqueue.ts';
import { advanceCheckout, type ProvisioningServices } from './provisioning-service.ts';

/** Making a database takes a second; a handful of buyers need not wait for each other. */
const slots = 4;

/** Goes on with checkouts: after a payment, after a crash, and when the time to pay is over. */
export function onboardingJob(services: ProvisioningServices): PlatformJob {
  return {
    kind: onboardingKind,
    daily: false,
    slots,
    outlastsCrashes: true,
    runForPlatform: ({ subjectId }) => advanceCheckout(services, subjectId),
  };
}
