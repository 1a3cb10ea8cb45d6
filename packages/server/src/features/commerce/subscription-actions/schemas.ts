import { type Static, Type } from 'typebox';
import { described, strictObject, TimestampIn, withDefaults } from '../../../http/schema.ts';
import { CatalogCode } from '../catalog/schemas.ts';
import { CouponCode } from '../coupons/schemas.ts';
import { Interval } from '../plans/schemas.ts';

export const CancelSubscription = strictObject(
  withDefaults(
    {
      at_period_end: Type.Optional(
        Type.Boolean({ description: '`true` ends it with its period, `false` ends it now, without a refund.' }),
      ),
    },
    { at_period_end: true },
  ),
  {
    title: 'CancelSubscription',
    description: 'Ends a subscription now or with its period.',
    examples: [{ at_period_end: true }],
  },
);
export type CancelSubscription = Static<typeof CancelSubscription>;

export const ChangeSubscriptionPlan = strictObject(
  withDefaults(
    {
      plan_code: described(CatalogCode, 'The code of an offered plan with a price.'),
      interval: Type.Optional(described(Interval, 'Default: the interval of the subscription.')),
      prorate: Type.Optional(
        Type.Boolean({
          description:
            '`true` charges or credits the difference for the rest of the period now; `false` charges the new price ' +
            'from the next period on, and requires the same interval.',
        }),
      ),
    },
    { prorate: true },
  ),
  {
    title: 'ChangeSubscriptionPlan',
    description: 'Changes the plan of a tenant.',
    examples: [{ plan_code: 'team', interval: 'year', prorate: true }],
  },
);
export type ChangeSubscriptionPlan = Static<typeof ChangeSubscriptionPlan>;

export const ExtendTrial = strictObject(
  {
    trial_ends_at: described(
      TimestampIn,
      'Later than the present end, and at most 730 days ahead. Fractions of a second are cut off.',
    ),
  },
  {
    title: 'ExtendTrial',
    description: 'Moves the end of a trial.',
    examples: [{ trial_ends_at: '2027-01-31T00:00:00Z' }],
  },
);
export type ExtendTrial = Static<typeof ExtendTrial>;

export const ApplyCoupon = strictObject(
  { coupon: described(CouponCode, 'The code of the coupon, in upper or lower case.') },
  { title: 'ApplyCoupon', description: 'Applies a coupon to a subscription.', examples: [{ coupon: 'WELCOME20' }] },
);
export type ApplyCoupon = Static<typeof ApplyCoupon>;
