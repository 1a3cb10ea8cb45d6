import { type Static, Type } from 'typebox';
import { described, FilterText, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { Amount, Currency, CurrencyOut, maxAmount } from '../plans/schemas.ts';
import { AdminSubscription, SubscriptionStatus } from '../subscriptions/schemas.ts';

const OfCurrency = Type.Object(
  {
    currency: CurrencyOut,
    mrr: Type.Integer({
      description:
        'Monthly revenue of active and past-due subscriptions, without trials, less lasting discounts; a yearly price ' +
        "counts one twelfth. In the currency's minor unit.",
    }),
    arr: described(Amount, "Yearly revenue of the same subscriptions, in the currency's minor unit."),
    active: Type.Integer({ description: 'Active subscriptions.' }),
    trialing: Type.Integer({ description: 'Subscriptions in their trial.' }),
    past_due: Type.Integer({ description: 'Overdue subscriptions within the grace period.' }),
    unpaid: Type.Integer({ description: 'Overdue subscriptions after the grace period.' }),
    open_amount: Type.Integer({ description: "Amount due of the open invoices, in the currency's minor unit." }),
    churned: Type.Integer({ description: 'Subscriptions that ended in the last 30 days.' }),
    churn_rate: Type.Number({ description: '`churned` divided by the live and the churned subscriptions, 0 to 1.' }),
  },
  { title: 'CurrencyRevenue', description: 'The revenue and the subscriptions of one currency.' },
);

const OfPlan = Type.Object(
  {
    plan_code: Type.String(),
    currency: CurrencyOut,
    subscriptions: Type.Integer({ description: 'The number of live subscriptions.' }),
    mrr: described(Amount, "Monthly revenue, in the currency's minor unit."),
  },
  { title: 'PlanRevenue', description: 'The revenue of one plan in one currency.' },
);

export const RevenueOverview = Type.Object(
  {
    currencies: Type.Array(OfCurrency),
    by_plan: Type.Array(OfPlan),
    orphans: Type.Integer({ description: 'Orphan subscriptions at the payment provider, counted up to 1,000.' }),
    has_sandbox: Type.Boolean({ description: 'Whether payments are simulated.' }),
  },
  { title: 'RevenueOverview', description: 'Revenue, churn and overdue amounts of the platform.' },
);
export type RevenueOverview = Static<typeof RevenueOverview>;

/** An overdue subscription. */
export const DunningCase = Type.Object(
  {
    ...AdminSubscription.properties,
    tenant_status: Type.String({ description: '`active`, `suspended` or `closed`.' }),
    open_invoice_ids: Type.Array(Uuid, { description: 'The open invoices of the subscription.' }),
    open_amount: described(Amount, "The sum still to pay, in the currency's minor unit."),
    stages_told: Type.Array(Type.String(), { description: 'The dunning stages that were mailed for this payment.' }),
  },
  { title: 'DunningCase', description: 'An overdue subscription.' },
);
export type DunningCase = Static<typeof DunningCase>;

export const DunningQuery = PageQuery({});

export const Orphan = Type.Object(
  {
    id: Uuid,
    provider: Type.String({ description: 'The payment provider: `stripe` or `sandbox`.' }),
    provider_subscription_id: Type.String({ description: 'The id of the subscription at the payment provider.' }),
    provider_customer_id: Type.String({ description: 'The id of the customer at the payment provider.' }),
    reference: Nullable(Type.String(), { description: "The id of the service's own checkout." }),
    status: SubscriptionStatus,
    plan_code: Type.String(),
    reason: Type.Union([Type.Literal('no_tenant'), Type.Literal('unknown_plan')], {
      description: 'Why it is an orphan: no tenant belongs to it, or its plan does not exist.',
    }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  { title: 'OrphanSubscription', description: 'A subscription at the payment provider that belongs to no tenant.' },
);

export const OrphansQuery = PageQuery({});

export const GiveCredit = strictObject(
  {
    tenant_id: described(Uuid, 'The tenant that gets the credit.'),
    amount: Type.Integer({ minimum: 1, maximum: maxAmount, description: "The amount in the currency's minor unit." }),
    currency: Currency,
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '^[^\\u0000]*$',
      description: 'Why the credit is granted; recorded in the audit log.',
    }),
    reference: Type.Optional(
      FilterText(100, 'Your own reference, unique per tenant. A repeated request with it grants the credit once.'),
    ),
  },
  {
    title: 'CreateCredit',
    description: 'A credit for a tenant, which reduces its next invoices.',
    examples: [
      {
        tenant_id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f',
        amount: 2500,
        currency: 'usd',
        reason: 'Outage of 18 November 2026',
        reference: 'outage-20261118',
      },
    ],
  },
);
export type GiveCredit = Static<typeof GiveCredit>;

const text = '^[^\\u0000]*$';

const NewLine = strictObject(
  {
    description: Type.String({ minLength: 1, maxLength: 500, pattern: text, description: 'The text of the line.' }),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'How many are sold.' }),
    unit_amount: Type.Integer({
      minimum: -maxAmount,
      maximum: maxAmount,
      description: "The price of one, in the currency's minor unit; negative for a deduction.",
    }),
  },
  { title: 'CreateInvoiceLine', description: 'A line of a new invoice.' },
);

export const CreateInvoice = strictObject(
  {
    tenant_id: described(Uuid, 'The tenant that pays. It needs no subscription.'),
    currency: Currency,
    lines: Type.Array(NewLine, { minItems: 1, maxItems: 100, description: 'They add up to an amount above 0.' }),
    due_in_days: Type.Integer({ minimum: 0, maximum: 365, description: 'The days from finalizing to the due date.' }),
  },
  {
    title: 'CreateInvoice',
    description: 'An invoice with lines of its own.',
    examples: [
      {
        tenant_id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f',
        currency: 'eur',
        lines: [{ description: 'Migration, per day', quantity: 2, unit_amount: 120_000 }],
        due_in_days: 14,
      },
    ],
  },
);
export type CreateInvoice = Static<typeof CreateInvoice>;

export const RefundInvoice = strictObject(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxAmount,
        description: "With tax, in the currency's minor unit. Absent: all that is left of the payment.",
      }),
    ),
    reason: Type.String({ minLength: 1, maxLength: 500, pattern: text, description: 'Shown on the credit note.' }),
  },
  {
    title: 'RefundInvoice',
    description: 'Refunds a paid invoice.',
    examples: [{ amount: 1000, reason: 'Outage of 18 November 2026' }],
  },
);
export type RefundInvoice = Static<typeof RefundInvoice>;
