import { type Static, Type } from 'typebox';
import { described, Email, Name, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { isCountryCode } from '../../../lib/countries.ts';
import { PastDue } from '../../accounts/tenants/schemas.ts';
import { CatalogCode } from '../catalog/schemas.ts';
import { CustomerView, InvoiceLineView } from '../invoices/schemas.ts';
import { Amount, Currency, CurrencyOut, Interval, TrialDays } from '../plans/schemas.ts';
import { SubscriptionView } from '../subscriptions/schemas.ts';

/** Used units and their limit; a null limit means unlimited. */
const Use = Type.Object(
  {
    limit: Nullable(Type.Integer(), { description: 'Null: unlimited.' }),
    used: Type.Integer({ description: 'The number in use.' }),
  },
  { title: 'PlanUse', description: 'A limit of the plan, and how much of it is used.' },
);

const Usage = Type.Object(
  {
    products: Use,
    licenses: Use,
    activations: Use,
    api_keys: Use,
    webhooks: Use,
    members: Use,
    integration_requests_per_minute: Use,
  },
  { title: 'PlanUsage', description: 'The limits of the plan and their use.' },
);

const Cost = Type.Object(
  {
    currency: CurrencyOut,
    amount_due: Amount,
    discount: described(Amount, 'What the discount takes off the lines.'),
    tax: described(Amount, 'The tax in `amount_due`.'),
    at: described(TimestampOut, 'When the invoice is issued.'),
    lines: Type.Array(InvoiceLineView),
  },
  { title: 'NextInvoice', description: 'The next invoice of the subscription; null if no payment follows.' },
);

const CurrentPlan = Type.Object(
  {
    code: Type.String(),
    name: Type.String(),
    features: Type.Array(Type.String(), { description: 'What the plan offers, in lines of text.' }),
  },
  { title: 'CurrentPlan', description: 'The plan of the tenant.' },
);

const CardOnFile = Type.Object(
  {
    brand: Type.String({ description: 'The network of the card, such as `Visa`.' }),
    last4: Type.String({ description: 'Its last four digits.' }),
    exp_month: Nullable(Type.Integer(), { description: 'The month in which it expires; null if it is not known.' }),
    exp_year: Nullable(Type.Integer(), { description: 'The year in which it expires; null if it is not known.' }),
  },
  {
    title: 'CardOnFile',
    description: 'The card that is charged; null without one, and while the payment provider is unavailable.',
    examples: [{ brand: 'Visa', last4: '4242', exp_month: 12, exp_year: 2030 }],
  },
);

export const BillingOverview = Type.Object(
  {
    plan: CurrentPlan,
    usage: Usage,
    subscription: Nullable(SubscriptionView),
    past_due: Nullable(PastDue),
    next_invoice: Nullable(Cost),
    provider_available: Type.Boolean({
      description: 'False while the payment provider is unavailable: `next_invoice` is null then.',
    }),
    card: Nullable(CardOnFile),
    details: Nullable(CustomerView),
  },
  { title: 'BillingOverview', description: 'The plan of a tenant, its usage and its costs.' },
);
export type BillingOverview = Static<typeof BillingOverview>;

const text = {
  plan: 'The code of the wanted plan.',
  interval: 'The wanted interval. Default: that of the subscription; without a subscription `month`.',
  currency: "The currency of a first purchase. A subscription's currency cannot be changed.",
};

export const PreviewQuery = strictObject({
  plan_code: Type.Optional(described(CatalogCode, text.plan)),
  plan: Type.Optional(
    Type.Unsafe<string>({ ...CatalogCode, deprecated: true, description: 'The former name of `plan_code`.' }),
  ),
  interval: Type.Optional(described(Interval, text.interval)),
  currency: Type.Optional(described(Currency, text.currency)),
});

const TakesEffect = Type.Union(
  [Type.Literal('unchanged'), Type.Literal('checkout'), Type.Literal('now'), Type.Literal('period_end')],
  {
    title: 'PlanChangeTime',
    description: 'When the change takes effect; `checkout`: after the first payment. An upgrade takes effect `now`.',
  },
);

export const PlanPreview = Type.Object(
  {
    plan_code: Type.String(),
    interval: Nullable(Interval, { description: 'Null for the free plan.' }),
    takes_effect: TakesEffect,
    takes_effect_at: described(TimestampOut, 'When the change takes effect.'),
    currency: Nullable(Type.String(), { description: 'The ISO 4217 code of the currency, in lower case.' }),
    amount_due: described(
      Amount,
      "The amount that is charged when the change takes effect, in the currency's minor unit.",
    ),
    discount: described(Amount, 'What the discount takes off the lines.'),
    tax: described(Amount, 'The tax in `amount_due`. A checkout adds the tax on its page.'),
    trial_days: TrialDays,
    lines: Type.Array(InvoiceLineView),
  },
  {
    title: 'PlanPreview',
    description: 'What a change of plan costs, and when it takes effect.',
    examples: [
      {
        plan_code: 'team',
        interval: 'month',
        takes_effect: 'checkout',
        takes_effect_at: '2026-11-20T17:42:00.000000Z',
        currency: 'usd',
        amount_due: 4900,
        discount: 0,
        tax: 0,
        trial_days: 0,
        lines: [{ description: 'Team', quantity: 1, amount: 4900, period_starts_at: null, period_ends_at: null }],
      },
    ],
  },
);
export type PlanPreview = Static<typeof PlanPreview>;

export const ChangePlan = strictObject(
  {
    plan_code: described(CatalogCode, text.plan),
    interval: Type.Optional(described(Interval, text.interval)),
    currency: Type.Optional(described(Currency, text.currency)),
  },
  { title: 'ChangePlan', description: 'The plan to change to.', examples: [{ plan_code: 'team', interval: 'year' }] },
);
export type ChangePlan = Static<typeof ChangePlan>;

export const PlanChange = Type.Object(
  {
    takes_effect: TakesEffect,
    checkout_url: Nullable(Type.String(), {
      description: 'The page of the first payment. The plan changes once it is paid.',
    }),
    subscription: Nullable(SubscriptionView),
  },
  { title: 'PlanChange', description: 'The result of a change of plan.' },
);
export type PlanChange = Static<typeof PlanChange>;

export const ChangeSubscription = strictObject(
  {
    cancel_at_period_end: Type.Boolean({
      description: '`true` ends the subscription with the current period; `false` resumes it.',
    }),
  },
  {
    title: 'ChangeSubscription',
    description: 'Ends the subscription with its period, or takes the cancellation back.',
    examples: [{ cancel_at_period_end: true }],
  },
);

const Line = (maxLength: number) =>
  Type.Refine(
    Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
    (text) => text.trim() === text,
    () => 'Remove the spaces at the start and the end.',
  );

function OptionalLine(maxLength: number, description: string) {
  return Type.Optional(Nullable(Line(maxLength), { description }));
}

const AddressInput = strictObject(
  {
    line1: described(Line(200), 'Street and number.'),
    line2: OptionalLine(200, 'A second line.'),
    city: described(Line(100), 'The city.'),
    postal_code: OptionalLine(20, 'The postal code.'),
    state: OptionalLine(100, 'The state or province.'),
    country: Type.Refine(
      Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.', examples: ['DE'] }),
      (code) => isCountryCode(code),
      () => 'Choose a country.',
    ),
  },
  { title: 'AddressInput' },
);

export const ChangeDetails = strictObject(
  {
    name: Type.Optional(described(Name, 'The name on invoices.')),
    email: Type.Optional(described(Email, 'The address that receives invoices.')),
    address: Type.Optional(Nullable(AddressInput, { description: 'Replaced as a whole; null removes it.' })),
    tax_id: Type.Optional(
      Nullable(Line(50), {
        description: 'The VAT or tax ID; null removes it. A VAT ID must be of the address.',
        examples: ['DE123456789'],
      }),
    ),
  },
  {
    title: 'ChangeBillingDetails',
    description: 'The billing details to change. A field that is left out keeps its value.',
    examples: [
      {
        name: 'Acme GmbH',
        address: { line1: 'Hauptstraße 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
        tax_id: 'DE123456789',
      },
    ],
  },
);
export type ChangeDetails = Static<typeof ChangeDetails>;

export const PortalSession = Type.Object(
  { url: Type.String({ description: "The page of the payment provider's customer portal." }) },
  { title: 'PortalSession', description: "The address of the payment provider's portal." },
);

/** A credit that an admin has granted. */
export const Credit = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    amount: Amount,
    currency: CurrencyOut,
    reason: Type.String(),
    reference: Nullable(Type.String(), { description: 'Your own reference, unique per tenant.' }),
    applied_at: Nullable(TimestampOut, { description: 'When the payment provider booked it.' }),
    created_at: TimestampOut,
  },
  {
    title: 'Credit',
    description: 'A credit that lowers the next invoices of a tenant.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f725',
        tenant_id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f',
        amount: 2500,
        currency: 'usd',
        reason: 'Outage of 18 November 2026',
        reference: 'outage-20261118',
        applied_at: '2026-11-20T17:42:01.000000Z',
        created_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
