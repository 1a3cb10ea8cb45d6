import { type Static, Type } from 'typebox';
import {
  FilterText,
  Name,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';

/** The status of a tenant. A closed tenant cannot be reopened. */
export const TenantStatus = Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('closed')]);

const count = { minimum: 0, maximum: 1_000_000_000 };
const Ceiling = Type.Integer({ minimum: 1, maximum: 10_000_000 });

/** The limits of a plan. Null means unlimited. */
export const Limits = Type.Object({
  products: Nullable(Type.Integer()),
  licenses: Nullable(Type.Integer()),
  activations: Nullable(Type.Integer()),
  api_keys: Nullable(Type.Integer()),
  webhooks: Nullable(Type.Integer()),
  members: Nullable(Type.Integer()),
  integration_requests_per_minute: Type.Integer(),
});

/** The limits of a plan in a request. Null means unlimited. */
export const PlanLimitsInput = strictObject({
  products: Type.Optional(Nullable(Type.Integer(count))),
  licenses: Type.Optional(Nullable(Type.Integer(count))),
  activations: Type.Optional(Nullable(Type.Integer(count))),
  api_keys: Type.Optional(Nullable(Type.Integer(count))),
  webhooks: Type.Optional(Nullable(Type.Integer(count))),
  members: Type.Optional(Nullable(Type.Integer(count))),
  integration_requests_per_minute: Type.Optional(Ceiling),
});

const LimitChange = Type.Union([Type.Integer(count), Type.Literal('unlimited'), Type.Null()]);
const LimitOverride = Type.Union([Type.Integer(), Type.Literal('unlimited')]);

/** A change of a tenant's limits; the requests per minute always have a limit. */
const LimitChanges = strictObject({
  products: Type.Optional(LimitChange),
  licenses: Type.Optional(LimitChange),
  activations: Type.Optional(LimitChange),
  api_keys: Type.Optional(LimitChange),
  webhooks: Type.Optional(LimitChange),
  members: Type.Optional(LimitChange),
  integration_requests_per_minute: Type.Optional(Nullable(Ceiling)),
});

const LimitOverrides = Type.Object(
  {
    products: Type.Optional(LimitOverride),
    licenses: Type.Optional(LimitOverride),
    activations: Type.Optional(LimitOverride),
    api_keys: Type.Optional(LimitOverride),
    webhooks: Type.Optional(LimitOverride),
    members: Type.Optional(LimitOverride),
    integration_requests_per_minute: Type.Optional(Type.Integer()),
  },
  { description: "The limits that replace those of the plan. A limit that is absent here is the plan's." },
);

/** An overdue payment of a tenant, and the page on which it is paid. */
export const PastDue = Type.Object({
  subscription_status: Type.Union([Type.Literal('past_due'), Type.Literal('unpaid')]),
  since: Nullable(TimestampOut),
  grace_ends_at: Type.Unsafe<string | null>({
    ...Nullable(TimestampOut),
    description: 'The tenant is suspended at this time unless it pays.',
  }),
  amount_due: Type.Unsafe<number | null>({
    ...Nullable(Type.Integer()),
    description: "The amount of the oldest open invoice, in the currency's minor unit; null if none is open.",
  }),
  currency: Nullable(Type.String()),
  due_at: Nullable(TimestampOut),
  payment_url: Type.Unsafe<string | null>({
    ...Nullable(Type.String()),
    description: "The payment provider's page on which that invoice is paid without a login.",
  }),
});
export type PastDue = Static<typeof PastDue>;

/** A tenant as admins see it. `limits` are the limits of the plan with the tenant's overrides applied. */
export const TenantView = Type.Object({
  id: Uuid,
  name: Type.String(),
  status: TenantStatus,
  plan_code: Type.String(),
  limits: Limits,
  limit_overrides: LimitOverrides,
  past_due: Type.Unsafe<PastDue | null>({
    ...Nullable(PastDue),
    description: 'Null while the tenant owes nothing.',
  }),
  placement: Type.String({
    description: "`embedded`, or the name of the PostgreSQL server that holds the tenant's database.",
  }),
  created_at: TimestampOut,
  updated_at: TimestampOut,
  closed_at: Nullable(TimestampOut),
});

/** The body of a request that creates a tenant. */
export const CreateTenant = strictObject({
  name: Name,
  plan_code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  owner_email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
});

/** The body of a change of a tenant. Absent fields do not change. */
export const UpdateTenant = strictObject({
  name: Type.Optional(Name),
  status: Type.Optional(TenantStatus),
  plan_code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  limits: Type.Optional(
    Nullable(
      Type.Unsafe<Static<typeof LimitChanges>>({
        ...LimitChanges,
        description:
          "Overrides of the plan's limits. An absent limit does not change, null goes back to the limit of the plan, " +
          'and `"unlimited"` lifts it. Null in place of the object removes all overrides.',
      }),
    ),
  ),
});

/** The query of the list of tenants. */
export const TenantsQuery = PageQuery({
  status: Type.Optional(TenantStatus),
  q: Type.Optional(
    SearchText('Search words, case-insensitive. Each must match the beginning of the id or of a word of the name.'),
  ),
  plan_code: Type.Optional(FilterText(64, 'The code of the plan.')),
  created_from: Type.Optional(
    Type.Unsafe<string>({
      ...TimestampIn,
      description: 'Return only tenants that were created at this time or later.',
    }),
  ),
  created_to: Type.Optional(
    Type.Unsafe<string>({ ...TimestampIn, description: 'Return only tenants that were created before this time.' }),
  ),
});
