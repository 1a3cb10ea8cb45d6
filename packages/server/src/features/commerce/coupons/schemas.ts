import { type Static, Type } from 'typebox';
import {
  described,
  Name,
  Nullable,
  PageQuery,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { Amount, Currency, CurrencyOut, maxAmount } from '../plans/schemas.ts';
import { CouponDuration } from '../subscriptions/schemas.ts';

/** The code of a coupon as callers write it. The service stores it in upper case. */
export const CouponCode = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{2,49}$',
  description: 'Unique. 3 to 50 letters, digits, hyphens and underscores; stored in upper case.',
  examples: ['WELCOME20'],
});

const monthsMax = 120;
const redemptionsMax = 1_000_000_000;

const text = {
  percent_off: 'In percent.',
  amount_off: 'Per invoice, in the minor unit of `currency`.',
  duration_months: 'The months of a `repeating` coupon.',
  expires_at: 'The end of redemption. Discounts that exist stay.',
  max_redemptions: 'How often it can be redeemed.',
};

/** A coupon that customers enter at checkout, and that admins apply to subscriptions. */
export const Coupon = Type.Object(
  {
    id: Uuid,
    code: Type.String({ description: 'Unique. Customers enter it at checkout.' }),
    name: Type.String({ description: 'The name on invoices.' }),
    percent_off: Nullable(Type.Number(), { description: `${text.percent_off} Null for a coupon with an amount.` }),
    amount_off: Nullable(Amount, { description: `${text.amount_off} Null for a coupon with a percentage.` }),
    currency: Nullable(CurrencyOut),
    duration: CouponDuration,
    duration_months: Nullable(Type.Integer(), { description: `${text.duration_months} Null for the others.` }),
    expires_at: Nullable(TimestampOut, { description: text.expires_at }),
    max_redemptions: Nullable(Type.Integer(), { description: `${text.max_redemptions} Null: any number of times.` }),
    redemptions: Type.Integer({ description: 'How often it was redeemed. Reading one coupon refreshes it.' }),
    archived: Type.Boolean({ description: 'It can no longer be redeemed. Discounts that exist stay.' }),
    synced_at: Nullable(TimestampOut, {
      description: 'When it was last read from the payment provider. Null: the provider does not have it yet.',
    }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'Coupon',
    description: 'A coupon lowers the invoices of subscriptions.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f712',
        code: 'WELCOME20',
        name: '20 % for new customers',
        percent_off: 20,
        amount_off: null,
        currency: null,
        duration: 'repeating',
        duration_months: 3,
        expires_at: '2027-01-01T00:00:00.000000Z',
        max_redemptions: 100,
        redemptions: 12,
        archived: false,
        synced_at: '2026-11-20T17:42:00.123456Z',
        created_at: '2026-11-01T09:00:00.000000Z',
        updated_at: '2026-11-01T09:00:00.000000Z',
      },
    ],
  },
);
export type Coupon = Static<typeof Coupon>;

/** Two decimal places: the product with 100 differs from an integer by rounding errors alone. */
const hasTwoDecimals = (percent: number) => Math.abs(percent * 100 - Math.round(percent * 100)) < 1e-9;

const Percent = Type.Refine(
  Type.Number({
    minimum: 0,
    exclusiveMinimum: 0,
    maximum: 100,
    description: `${text.percent_off} At most two decimal places.`,
  }),
  hasTwoDecimals,
  () => 'Enter at most two decimal places.',
);

export const CreateCoupon = strictObject(
  withDefaults(
    {
      code: CouponCode,
      name: Type.Optional(described(Name, 'The name on invoices. Default: the code.')),
      percent_off: Type.Optional(Nullable(Percent, { description: `${text.percent_off} Or give \`amount_off\`.` })),
      amount_off: Type.Optional(
        Nullable(Type.Integer({ minimum: 1, maximum: maxAmount }), {
          description: `${text.amount_off} Or give \`percent_off\`.`,
        }),
      ),
      currency: Type.Optional(Nullable(Currency, { description: 'Required with `amount_off`.' })),
      duration: CouponDuration,
      duration_months: Type.Optional(
        Nullable(Type.Integer({ minimum: 1, maximum: monthsMax }), {
          description: `${text.duration_months} Required with \`repeating\`.`,
        }),
      ),
      expires_at: Type.Optional(Nullable(TimestampIn, { description: text.expires_at })),
      max_redemptions: Type.Optional(
        Nullable(Type.Integer({ minimum: 1, maximum: redemptionsMax }), {
          description: `${text.max_redemptions} Null: any number of times.`,
        }),
      ),
    },
    {
      percent_off: null,
      amount_off: null,
      currency: null,
      duration_months: null,
      expires_at: null,
      max_redemptions: null,
    },
  ),
  {
    title: 'CreateCoupon',
    description: 'A new coupon: a percentage or an amount.',
    examples: [{ code: 'WELCOME20', percent_off: 20, duration: 'repeating', duration_months: 3 }],
  },
);
export type CreateCoupon = Static<typeof CreateCoupon>;

export const CouponsQuery = PageQuery({
  code: Type.Optional(described(CouponCode, 'The complete code.')),
  archived: Type.Optional(Type.Boolean({ description: '`true` returns archived coupons, `false` the others.' })),
});
export type CouponsQuery = Static<typeof CouponsQuery>;
