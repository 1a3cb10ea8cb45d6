import { type Static, Type } from 'typebox';
import { described, Nullable, PageQuery, PublicName, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { Interval, TrialDays } from '../plans/schemas.ts';

const CheckoutStatus = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('paid'),
    Type.Literal('provisioning'),
    Type.Literal('completed'),
    Type.Literal('failed'),
    Type.Literal('expired'),
    Type.Literal('canceled'),
  ],
  {
    title: 'CheckoutStatus',
    description:
      '`pending` before the payment, `paid` and `provisioning` while the tenant is created, then `completed`. ' +
      '`failed`, `expired` and `canceled` lead to no tenant.',
  },
);

const Step = Type.Object(
  {
    name: Type.Union(
      [
        Type.Literal('payment'),
        Type.Literal('database'),
        Type.Literal('migrations'),
        Type.Literal('signing_key'),
        Type.Literal('tenant'),
        Type.Literal('subscription'),
        Type.Literal('welcome'),
      ],
      { title: 'CheckoutStepName', description: 'The steps of a purchase, in their order.' },
    ),
    done_at: Nullable(TimestampOut, { description: 'Null until the step is done.' }),
  },
  { title: 'CheckoutStep', description: 'One step of a purchase.' },
);

/** A user's purchase of a plan, with the progress of its tenant. */
export const Checkout = Type.Object(
  {
    id: Uuid,
    status: CheckoutStatus,
    plan_code: Type.String({ description: 'The code of the plan.' }),
    plan: Type.String({ deprecated: true, description: 'The former name of `plan_code`.' }),
    interval: Nullable(Interval, { description: 'Null for a free plan.' }),
    currency: Nullable(Type.String(), {
      description: 'The ISO 4217 code of the currency, in lower case; null for a free plan.',
    }),
    amount: Type.Integer({ description: "The price per interval, in the currency's minor unit." }),
    trial_days: TrialDays,
    tenant_name: Type.String({ description: 'The name of the new tenant.' }),
    tenant_id: Nullable(Uuid, { description: 'Null until the tenant exists.' }),
    checkout_url: Nullable(Type.String(), {
      description: 'The page of the payment; null unless the status is `pending`, and for a free plan.',
    }),
    steps: Type.Array(Step, { description: 'The steps in the order of execution.' }),
    error: Nullable(Type.String(), { description: 'Why the checkout does not proceed, or why it failed.' }),
    expires_at: described(TimestampOut, 'The checkout cannot be paid after this time.'),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'Checkout',
    description: 'The purchase of a plan, with the progress of its tenant.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f726',
        status: 'pending',
        plan_code: 'team',
        plan: 'team',
        interval: 'month',
        currency: 'usd',
        amount: 4900,
        trial_days: 14,
        tenant_name: 'Acme',
        tenant_id: null,
        checkout_url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3',
        steps: [{ name: 'payment', done_at: null }],
        error: null,
        expires_at: '2026-11-21T17:42:00.123456Z',
        created_at: '2026-11-20T17:42:00.123456Z',
        updated_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
export type Checkout = Static<typeof Checkout>;

export const StartCheckout = strictObject(
  {
    plan_code: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'The code of the plan.', examples: ['team'] }),
    ),
    plan: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, deprecated: true, description: 'The former name of `plan_code`.' }),
    ),
    interval: Type.Optional(
      described(Interval, 'The billing period. Default: `month` if the plan has a monthly price, otherwise `year`.'),
    ),
    currency: Type.Optional(
      Type.String({
        pattern: '^[a-z]{3}$',
        description:
          'The ISO 4217 code of the currency, in lower case; required if the plan has prices in several currencies.',
        examples: ['usd'],
      }),
    ),
    tenant_name: described(PublicName, 'The name of the new tenant.'),
  },
  {
    title: 'StartCheckout',
    description: 'Starts the purchase of a plan.',
    examples: [{ plan_code: 'team', interval: 'month', tenant_name: 'Acme' }],
  },
);
export type StartCheckout = Static<typeof StartCheckout>;

export const CheckoutsQuery = PageQuery({
  status: Type.Optional(described(CheckoutStatus, 'Return only checkouts with this status.')),
});
export type CheckoutsQuery = Static<typeof CheckoutsQuery>;
