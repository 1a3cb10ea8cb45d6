import type { PlatformJob } from '../../../jobs/job.ts';
import type { Services } from '../../../services.ts';
import { completeCoupon, couponSyncKind } from './service.ts';

/** Brings coupons to the payment provider whose request died or did not reach it. */
export function couponJob(services: Services): PlatformJob {
  return {
    kind: couponSyncKind,
    daily: false,
    runForPlatform: ({ subjectId }) => completeCoupon(services, subjectId),
  };
}
