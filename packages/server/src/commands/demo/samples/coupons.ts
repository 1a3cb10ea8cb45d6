import type { CreateCoupon } from '../../../features/commerce/coupons/schemas.ts';
import { createCoupon, findCouponByCode, readCoupon } from '../../../features/commerce/coupons/service.ts';
import { recordDemoRows } from '../../../features/operations/demo-data/queries.ts';
import type { Services } from '../../../services.ts';
import { systemActor } from '../../../tenancy/tenant.ts';

/** The coupon that a subscription of the demo has. In percent. */
export const loyaltyCoupon = { code: 'DEMO-LOYALTY25', percentOff: 25 } as const;

const coupons: readonly CreateCoupon[] = [
  {
    code: loyaltyCoupon.code,
    name: '25 % for loyal customers (demo)',
    percent_off: loyaltyCoupon.percentOff,
    duration: 'forever',
  },
  {
    code: 'DEMO-WELCOME10',
    name: 'EUR 10.00 off the first invoice (demo)',
    amount_off: 1000,
    currency: 'eur',
    duration: 'once',
    max_redemptions: 100,
  },
];

/** Creates the coupons of the demo. Does nothing without the sandbox. */
export async function createDemoCoupons(services: Services): Promise<void> {
  if (services.sandbox === null) return;
  for (const coupon of coupons) {
    if ((await findCouponByCode(services.platform, coupon.code)) !== undefined) continue;
    const { id } = await createCoupon(services, systemActor, coupon);
    await services.platform.transaction((tx) => recordDemoRows(tx, 'coupons', [id]));
  }
}

/** Reads how often the coupons of the demo were redeemed. */
export async function countDemoRedemptions(services: Services): Promise<void> {
  for (const { code } of coupons) {
    const coupon = await findCouponByCode(services.platform, code);
    if (coupon !== undefined) await readCoupon(services, coupon.id);
  }
}
