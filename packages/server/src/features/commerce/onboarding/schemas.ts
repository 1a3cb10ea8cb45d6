import { type Static, Type } from 'typebox';
import { Name, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

const Interval = Type.Union([Type.Literal('month'), Type.Literal('year')]);

const CheckoutStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('paid'),
  Type.Literal('provisioning'),
  Type.Literal('completed'),
  Type.Literal('failed'),
  Type.Literal('expired'),
  Type.Literal('canceled'),
]);

const Step = Type.Object({
  name: Type.Union([
    Type.Literal('payment'),
    Type.Literal('database'),
    Type.Literal('migrations'),
    Type.Literal('signing_key'),
    Type.Literal('tenant'),
    Type.Literal('subscription'),
    Type.Literal('welcome'),
  ]),
  done_at: Type.Union([TimestampOut, Type.Null()], { description: 'Null until the step is done.' }),
});

/** A user's purchase of a plan, with the progress of its tenant. */
export const Checkout = Type.Object({
  id: Uuid,
  status: Type.Union([...CheckoutStatus.anyOf], {
    description:
      '`pending` before the payment, `paid` and `provisioning` while the tenant is created, then `completed`. ' +
      '`failed`, `expired` and `canceled` lead to no tenant.',
  }),
  plan: Type.String(),
  interval: Type.Union([...Interval.anyOf, Type.Null()]),
  currency: Type.Union([Type.String(), Type.Null()], {
    description: 'The ISO 4217 code of the currency, in lower case.',
  }),
  amount: Type.Integer({ description: "The price per interval, in the currency's minor unit." }),
  tenant_name: Type.String(),
  tenant_id: Type.Union([Uuid, Type.Null()], { description: 'Null until the tenant exists.' }),
  checkout_url: Type.Union([Type.String(), Type.Null()], {
    description: 'The page of the payment; null unless the status is `pending`, and for a free plan.',
  }),
  steps: Type.Array(Step, { description: 'The steps in the order of execution.' }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the checkout does not proceed, or why it failed.',
  }),
  expires_at: Type.String({ ...TimestampOut, description: 'The checkout cannot be paid after this time.' }),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type Checkout = Static<typeof Checkout>;

export const StartCheckout = strictObject({
  plan: Type.String({ minLength: 1, maxLength: 100, description: "The plan's code." }),
  interval: Type.Optional(Interval),
  currency: Type.Optional(
    Type.String({ pattern: '^[a-z]{3}$', description: 'The ISO 4217 code of the currency, in lower case.' }),
  ),
  tenant_name: Name,
});
export type StartCheckout = Static<typeof StartCheckout>;

export const CheckoutsQuery = PageQuery({ status: Type.Optional(CheckoutStatus) });
export type CheckoutsQuery = Static<typeof CheckoutsQuery>;
