import { type Static, Type } from 'typebox';
import {
  described,
  Name,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { once } from '../../../lib/memoize.ts';
import { Limits, PlanLimitsInput } from '../../accounts/tenants/schemas.ts';
import { CatalogCode } from '../catalog/schemas.ts';

/** Maximum price or credit in minor units: payment providers accept eight digits. */
export const maxAmount = 99_999_999;

/** Payment providers accept trials of two years. */
const trialDaysMax = 730;

const currencies = once<ReadonlySet<string>>(
  () => new Set(Intl.supportedValuesOf('currency').map((currency) => currency.toLowerCase())),
);

/** ISO 4217 code in lower case. */
export const Currency = Type.Refine(
  Type.String({
    pattern: '^[a-z]{3}$',
    description: 'The ISO 4217 code of the currency, in lower case.',
    examples: ['usd'],
  }),
  (currency) => currencies().has(currency),
  () => 'Enter a currency code in lower case, such as usd.',
);

/** The currency of an amount in a response. */
export const CurrencyOut = Type.String({ description: 'The ISO 4217 code of the currency, in lower case.' });

/** An amount of money in a response. */
export const Amount = Type.Integer({ description: "The amount in the currency's minor unit." });

export const Interval = Type.Union([Type.Literal('month'), Type.Literal('year')], {
  title: 'BillingInterval',
  description: 'The length of a billing period.',
});

/** The days of a free trial in a response. */
export const TrialDays = Type.Integer({ description: 'The days of the free trial before the first payment; 0: none.' });

const PriceView = Type.Object(
  { interval: Interval, currency: CurrencyOut, amount: Amount, trial_days: TrialDays },
  { title: 'PlanPrice', description: 'The price of a plan for one interval and currency.' },
);

const Price = strictObject(
  {
    interval: Interval,
    currency: Currency,
    amount: Type.Integer({ minimum: 0, maximum: maxAmount, description: "The amount in the currency's minor unit." }),
    trial_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: trialDaysMax,
        description: 'The days of the free trial of a first subscription. Default: 0, for none.',
      }),
    ),
  },
  {
    title: 'PlanPriceInput',
    description: 'A price of a plan.',
    examples: [{ interval: 'month', currency: 'usd', amount: 4900, trial_days: 14 }],
  },
);

const Prices = Type.Refine(
  Type.Array(Price, {
    maxItems: 100,
    description: 'One price per interval and currency. A plan without prices cannot be bought.',
  }),
  (prices) => new Set(prices.map(({ interval, currency }) => `${interval} ${currency}`)).size === prices.length,
  () => 'Enter one price per interval and currency.',
);

const featuresText = 'What the plan offers, in lines of text for buyers.';
const Features = Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }), {
  maxItems: 100,
  uniqueItems: true,
  description: featuresText,
});

const examplePublicPlan = {
  id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f711',
  code: 'team',
  name: 'Team',
  prices: [{ interval: 'month', currency: 'usd', amount: 4900, trial_days: 14 }],
  limits: {
    products: null,
    licenses: 1000,
    activations: null,
    api_keys: 20,
    webhooks: 10,
    members: 5,
    integration_requests_per_minute: 6000,
  },
  features: ['1,000 licenses', 'Five members'],
};

/** The public view of a plan. */
export const PublicPlan = Type.Object(
  {
    id: Uuid,
    code: Type.String({ description: 'Unique.' }),
    name: Type.String(),
    prices: Type.Array(PriceView, { description: 'One price per interval and currency.' }),
    limits: Limits,
    features: Type.Array(Type.String(), { description: featuresText }),
  },
  { title: 'PublicPlan', description: 'A plan that can be bought.', examples: [examplePublicPlan] },
);

/** The view of a plan for admins. */
export const Plan = Type.Object(
  {
    ...PublicPlan.properties,
    catalog_product_id: Nullable(Uuid, { description: 'The catalog product that the plan belongs to.' }),
    archived: Type.Boolean({ description: 'The plan is no longer offered. Tenants that have it keep it.' }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'Plan',
    description: 'A plan as admins see it.',
    examples: [
      {
        ...examplePublicPlan,
        catalog_product_id: null,
        archived: false,
        created_at: '2026-11-01T09:00:00.000000Z',
        updated_at: '2026-11-01T09:00:00.000000Z',
      },
    ],
  },
);
export type Plan = Static<typeof Plan>;

const text = {
  catalog_product_id: 'The catalog product that the plan belongs to.',
  prices: 'One price per interval and currency. A plan without prices cannot be bought.',
  nullLimits: 'The limits, replaced as a whole; null restores the defaults.',
};

const fields = {
  name: described(Name, 'The name that buyers see.'),
  catalog_product_id: Nullable(Uuid, { description: text.catalog_product_id }),
  prices: Prices,
  limits: PlanLimitsInput,
  features: Features,
};

export const CreatePlan = strictObject(
  withDefaults(
    {
      code: CatalogCode,
      name: fields.name,
      catalog_product_id: Type.Optional(fields.catalog_product_id),
      prices: Type.Optional(fields.prices),
      limits: Type.Optional(fields.limits),
      features: Type.Optional(fields.features),
    },
    { catalog_product_id: null, prices: [], features: [] },
  ),
  {
    title: 'CreatePlan',
    description: 'A new plan with its prices and limits.',
    examples: [
      {
        code: 'team',
        name: 'Team',
        prices: examplePublicPlan.prices,
        limits: { licenses: 1000, members: 5 },
        features: examplePublicPlan.features,
      },
    ],
  },
);
export type CreatePlan = Static<typeof CreatePlan>;

export const UpdatePlan = strictObject(
  {
    name: Type.Optional(fields.name),
    catalog_product_id: Type.Optional(fields.catalog_product_id),
    prices: Type.Optional(Nullable(fields.prices, { description: `${text.prices} Null removes all prices.` })),
    limits: Type.Optional(Nullable(fields.limits, { description: text.nullLimits })),
    features: Type.Optional(Nullable(fields.features, { description: `${featuresText} Null empties the list.` })),
    archived: Type.Optional(
      Type.Boolean({ description: '`true` ends the offer. Tenants that have the plan keep it.' }),
    ),
  },
  { title: 'UpdatePlan', description: 'The fields of a plan to change.', examples: [{ name: 'Team', archived: true }] },
);
export type UpdatePlan = Static<typeof UpdatePlan>;

export const PlansQuery = PageQuery({
  code: Type.Optional(described(CatalogCode, 'The complete code.')),
  catalog_product_id: Type.Optional(described(Uuid, 'Return only plans of this catalog product.')),
  archived: Type.Optional(Type.Boolean({ description: '`true` returns archived plans, `false` offered ones.' })),
});
export type PlansQuery = Static<typeof PlansQuery>;
