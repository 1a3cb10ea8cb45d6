import { type Static, Type } from 'typebox';
import { Name, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { PastDue } from '../../accounts/tenants/schemas.ts';
import { CatalogCode } from '../catalog/schemas.ts';
import { CustomerView, InvoiceLineView } from '../invoices/schemas.ts';
import { Currency, Interval } from '../plans/schemas.ts';
import { SubscriptionView } from '../subscriptions/schemas.ts';

const Amount = Type.Integer({ description: "The amount in the currency's minor unit." });
/** Used units and their limit; a null limit means unlimited. */
const Use = Type.Object({ limit: Nullable(Type.Integer()), used: Type.Integer() });

const Usage = Type.Object({
  products: Use,
  licenses: Use,
  activations: Use,
  api_keys: Use,
  webhooks: Use,
  members: Use,
  integration_requests_per_minute: Use,
});

const Cost = Type.Object({
  currency: Type.String(),
  amount_due: Amount,
  at: TimestampOut,
  lines: Type.Array(InvoiceLineView),
});

export const BillingOverview = Type.Object({
  plan: Type.Object({ code: Type.String(), name: Type.String(), features: Type.Array(Type.String()) }),
  usage: Usage,
  subscription: Nullable(SubscriptionView),
  past_due: Type.Unsafe<PastDue | null>({
    ...Nullable(PastDue),
    description: 'Null while nothing is overdue.',
  }),
  next_invoice: Nullable(Cost),
  provider_available: Type.Boolean({
    description: 'False while the payment provider is unavailable: `next_invoice` is null then.',
  }),
  details: Nullable(CustomerView),
});
export type BillingOverview = Static<typeof BillingOverview>;

export const PreviewQuery = strictObject({
  plan: CatalogCode,
  interval: Type.Optional(Interval),
  currency: Type.Optional(Currency),
});

export const PlanPreview = Type.Object({
  plan_code: Type.String(),
  interval: Nullable(Interval),
  takes_effect: Type.Union([
    Type.Literal('unchanged'),
    Type.Literal('checkout'),
    Type.Literal('now'),
    Type.Literal('period_end'),
  ]),
  takes_effect_at: TimestampOut,
  currency: Nullable(Type.String()),
  amount_due: Type.Integer({
    description: "The amount that is charged when the change takes effect, in the currency's minor unit.",
  }),
  lines: Type.Array(InvoiceLineView),
});
export type PlanPreview = Static<typeof PlanPreview>;

export const ChangePlan = strictObject({
  plan_code: CatalogCode,
  interval: Type.Optional(Interval),
  currency: Type.Optional(Currency),
});
export type ChangePlan = Static<typeof ChangePlan>;

export const PlanChange = Type.Object({
  takes_effect: PlanPreview.properties.takes_effect,
  checkout_url: Nullable(
    Type.String({ description: 'The page of the first payment. The plan changes once it is paid.' }),
  ),
  subscription: Nullable(SubscriptionView),
});
export type PlanChange = Static<typeof PlanChange>;

export const ChangeSubscription = strictObject({ cancel_at_period_end: Type.Boolean() });

const Line = (maxLength: number) =>
  Type.Refine(
    Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
    (text) => text.trim() === text,
    () => 'must not start or end with white space',
  );

const Address = strictObject({
  line1: Line(200),
  line2: Type.Optional(Nullable(Line(200))),
  city: Line(100),
  postal_code: Type.Optional(Nullable(Line(20))),
  state: Type.Optional(Nullable(Line(100))),
  country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' }),
});

export const ChangeDetails = strictObject({
  name: Type.Optional(Name),
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  address: Type.Optional(Nullable(Address)),
  tax_id: Type.Optional(Nullable(Line(50))),
});
export type ChangeDetails = Static<typeof ChangeDetails>;

export const PortalSession = Type.Object({ url: Type.String() });

/** A credit that an admin has granted. */
export const Credit = Type.Object({
  id: Uuid,
  tenant_id: Uuid,
  amount: Amount,
  currency: Type.String(),
  reason: Type.String(),
  reference: Nullable(Type.String()),
  applied_at: Nullable(TimestampOut),
  created_at: TimestampOut,
});
