import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { completeCoupon, couponSyncKind } from './service.ts';

/** Retries coupons that did not reach the payment provider. */
export function couponJob(services: Services): PlatformJob {
  return {
    kind: couponSyncKind,
    daily: false,
    runForPlatform: ({ subjectId }) => completeCoupon(services, subjectId),
  };
}
