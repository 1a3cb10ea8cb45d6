import { type Static, Type } from 'typebox';
import { Name, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { Limits, PlanLimitsInput } from '../../accounts/tenants/schemas.ts';
import { CatalogCode } from '../catalog/schemas.ts';

/** Maximum price or credit in minor units: payment providers accept eight digits. */
export const maxAmount = 99_999_999;

const currencies: ReadonlySet<string> = new Set(
  Intl.supportedValuesOf('currency').map((currency) => currency.toLowerCase()),
);

/** ISO 4217 code in lower case. */
export const Currency = Type.Refine(
  Type.String({ pattern: '^[a-z]{3}$', description: 'The ISO 4217 code of the currency, in lower case.' }),
  (currency) => currencies.has(currency),
  () => 'must be an ISO 4217 currency code in lower case, such as usd',
);

export const Interval = Type.Union([Type.Literal('month'), Type.Literal('year')]);

const PriceView = Type.Object({
  interval: Interval,
  currency: Type.String(),
  amount: Type.Integer({ description: "The amount in the currency's minor unit." }),
});

const Price = strictObject({
  interval: Interval,
  currency: Currency,
  amount: Type.Integer({ minimum: 0, maximum: maxAmount, description: "The amount in the currency's minor unit." }),
});

const Prices = Type.Refine(
  Type.Array(Price, {
    maxItems: 100,
    description: 'One price per interval and currency. A plan without prices cannot be bought.',
  }),
  (prices) => new Set(prices.map(({ interval, currency }) => `${interval} ${currency}`)).size === prices.length,
  () => 'must have one price per interval and currency',
);

const Features = Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }), {
  maxItems: 100,
  uniqueItems: true,
});

/** The public view of a plan. */
export const PublicPlan = Type.Object({
  id: Uuid,
  code: Type.String(),
  name: Type.String(),
  prices: Type.Array(PriceView),
  limits: Limits,
  features: Type.Array(Type.String()),
});

/** The view of a plan for admins. */
export const Plan = Type.Object({
  ...PublicPlan.properties,
  catalog_product_id: Nullable(Uuid),
  archived: Type.Boolean({ description: 'The plan is no longer offered. Tenants that have it keep it.' }),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type Plan = Static<typeof Plan>;

const fields = {
  name: Name,
  catalog_product_id: Nullable(Uuid),
  prices: Prices,
  limits: Type.Unsafe<Static<typeof PlanLimitsInput>>({
    ...PlanLimitsInput,
    description:
      'Replaced as a whole. An absent limit means unlimited; the default for Integration API requests is 6,000 ' +
      'per minute.',
  }),
  features: Features,
};

export const CreatePlan = strictObject({
  code: CatalogCode,
  name: fields.name,
  catalog_product_id: Type.Optional(fields.catalog_product_id),
  prices: Type.Optional(fields.prices),
  limits: Type.Optional(fields.limits),
  features: Type.Optional(fields.features),
});
export type CreatePlan = Static<typeof CreatePlan>;

export const UpdatePlan = strictObject({
  name: Type.Optional(fields.name),
  catalog_product_id: Type.Optional(fields.catalog_product_id),
  prices: Type.Optional(Nullable(fields.prices)),
  limits: Type.Optional(Nullable(fields.limits)),
  features: Type.Optional(Nullable(fields.features)),
  archived: Type.Optional(Type.Boolean()),
});
export type UpdatePlan = Static<typeof UpdatePlan>;

export const PlansQuery = PageQuery({
  code: Type.Optional(CatalogCode),
  catalog_product_id: Type.Optional(Uuid),
  archived: Type.Optional(Type.Boolean()),
});
export type PlansQuery = Static<typeof PlansQuery>;
