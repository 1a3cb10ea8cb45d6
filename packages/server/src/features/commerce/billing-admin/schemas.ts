import { type Static, Type } from 'typebox';
import { FilterText, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { Currency, maxAmount } from '../plans/schemas.ts';
import { AdminSubscription, SubscriptionStatus } from '../subscriptions/schemas.ts';

const Amount = Type.Integer({ description: "The amount in the currency's minor unit." });

const OfCurrency = Type.Object({
  currency: Type.String(),
  mrr: Type.Integer({
    description:
      "Monthly revenue of active and past-due subscriptions; a yearly price counts one twelfth. In the currency's " +
      'minor unit.',
  }),
  arr: Amount,
  active: Type.Integer(),
  trialing: Type.Integer(),
  past_due: Type.Integer(),
  unpaid: Type.Integer(),
  open_amount: Type.Integer({ description: "Amount due of the open invoices, in the currency's minor unit." }),
  churned: Type.Integer({ description: 'Subscriptions that ended in the last 30 days.' }),
  churn_rate: Type.Number({ description: '`churned` divided by the live and the churned subscriptions, 0 to 1.' }),
});

const OfPlan = Type.Object({
  plan_code: Type.String(),
  currency: Type.String(),
  subscriptions: Type.Integer(),
  mrr: Amount,
});

export const RevenueOverview = Type.Object({
  currencies: Type.Array(OfCurrency),
  by_plan: Type.Array(OfPlan),
  orphans: Type.Integer({ description: 'Orphan subscriptions at the payment provider, counted up to 1,000.' }),
});
export type RevenueOverview = Static<typeof RevenueOverview>;

/** An overdue subscription. */
export const DunningCase = Type.Object({
  ...AdminSubscription.properties,
  tenant_name: Type.String(),
  tenant_status: Type.String(),
  open_invoice_ids: Type.Array(Uuid),
  open_amount: Amount,
  stages_told: Type.Array(Type.String({ description: 'A dunning stage that was mailed for this payment.' })),
});
export type DunningCase = Static<typeof DunningCase>;

export const DunningQuery = PageQuery({});

export const Orphan = Type.Object({
  id: Uuid,
  provider: Type.String(),
  provider_subscription_id: Type.String(),
  provider_customer_id: Type.String(),
  reference: Nullable(Type.String()),
  status: SubscriptionStatus,
  plan_code: Type.String(),
  reason: Type.Union([Type.Literal('no_tenant'), Type.Literal('unknown_plan')]),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});

export const OrphansQuery = PageQuery({});

export const GiveCredit = strictObject({
  tenant_id: Uuid,
  amount: Type.Integer({ minimum: 1, maximum: maxAmount, description: "The amount in the currency's minor unit." }),
  currency: Currency,
  reason: Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000]*$' }),
  reference: Type.Optional(
    FilterText(100, 'Your own reference, unique per tenant. A repeated request with it grants the credit once.'),
  ),
});
export type GiveCredit = Static<typeof GiveCredit>;
