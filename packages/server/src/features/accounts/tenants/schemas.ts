import { type Static, Type } from 'typebox';
import {
  described,
  Email,
  FilterText,
  Nullable,
  PageQuery,
  PublicName,
  SearchText,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';
import { TenantStatus } from '../identity/schemas.ts';

const count = { minimum: 0, maximum: 1_000_000_000 };
const Ceiling = Type.Integer({ minimum: 1, maximum: 10_000_000 });

const limitText = {
  products: 'Maximum number of products.',
  licenses: 'Maximum number of licenses.',
  activations: 'Maximum number of active activations.',
  api_keys: 'Maximum number of API keys that work.',
  webhooks: 'Maximum number of webhook endpoints.',
  members: 'Maximum number of members and open invitations.',
  integration_requests_per_minute: 'Maximum requests of the Integration API per minute.',
} as const;
type LimitName = keyof typeof limitText;

const limitOf = (name: LimitName) => Nullable(Type.Integer(), { description: `${limitText[name]} Null: unlimited.` });

/** The limits of a plan. Null means unlimited. */
export const Limits = Type.Object(
  {
    products: limitOf('products'),
    licenses: limitOf('licenses'),
    activations: limitOf('activations'),
    api_keys: limitOf('api_keys'),
    webhooks: limitOf('webhooks'),
    members: limitOf('members'),
    integration_requests_per_minute: Type.Integer({ description: limitText.integration_requests_per_minute }),
  },
  { title: 'PlanLimits', description: 'The limits of a plan. Null means unlimited.' },
);

const limitInputOf = (name: LimitName) =>
  Type.Optional(Nullable(Type.Integer(count), { description: `${limitText[name]} Null: unlimited.` }));

/** The limits of a plan in a request. Null means unlimited. */
export const PlanLimitsInput = strictObject(
  {
    products: limitInputOf('products'),
    licenses: limitInputOf('licenses'),
    activations: limitInputOf('activations'),
    api_keys: limitInputOf('api_keys'),
    webhooks: limitInputOf('webhooks'),
    members: limitInputOf('members'),
    integration_requests_per_minute: Type.Optional(described(Ceiling, limitText.integration_requests_per_minute)),
  },
  {
    title: 'PlanLimitsInput',
    description:
      'Replaced as a whole. An absent limit means unlimited; the default for Integration API requests is 6,000 ' +
      'per minute.',
    examples: [{ licenses: 1000, members: 5 }],
  },
);

const limitChangeOf = (name: LimitName) =>
  Type.Optional(
    Type.Union([Type.Integer(count), Type.Literal('unlimited'), Type.Null()], { description: limitText[name] }),
  );
const limitOverrideOf = (name: LimitName) =>
  Type.Optional(Type.Union([Type.Integer(), Type.Literal('unlimited')], { description: limitText[name] }));

/** A change of a tenant's limits; the requests per minute always have a limit. */
const LimitChanges = strictObject(
  {
    products: limitChangeOf('products'),
    licenses: limitChangeOf('licenses'),
    activations: limitChangeOf('activations'),
    api_keys: limitChangeOf('api_keys'),
    webhooks: limitChangeOf('webhooks'),
    members: limitChangeOf('members'),
    integration_requests_per_minute: Type.Optional(
      Nullable(Ceiling, { description: limitText.integration_requests_per_minute }),
    ),
  },
  { title: 'LimitChanges', examples: [{ licenses: 5000, members: 'unlimited', products: null }] },
);

const LimitOverrides = Type.Object(
  {
    products: limitOverrideOf('products'),
    licenses: limitOverrideOf('licenses'),
    activations: limitOverrideOf('activations'),
    api_keys: limitOverrideOf('api_keys'),
    webhooks: limitOverrideOf('webhooks'),
    members: limitOverrideOf('members'),
    integration_requests_per_minute: Type.Optional(
      Type.Integer({ description: limitText.integration_requests_per_minute }),
    ),
  },
  {
    title: 'LimitOverrides',
    description: "The limits that replace those of the plan. A limit that is absent here is the plan's.",
  },
);

/** An overdue payment of a tenant, and the page on which it is paid. */
export const PastDue = Type.Object(
  {
    subscription_status: Type.Union([Type.Literal('past_due'), Type.Literal('unpaid')], {
      description: '`unpaid` after the grace period.',
    }),
    since: Nullable(TimestampOut, { description: 'When the payment became overdue.' }),
    grace_ends_at: Nullable(TimestampOut, { description: 'The tenant is suspended at this time unless it pays.' }),
    amount_due: Nullable(Type.Integer(), {
      description: "The amount of the oldest open invoice, in the currency's minor unit; null if none is open.",
    }),
    currency: Nullable(Type.String(), { description: 'The ISO 4217 code of the currency, in lower case.' }),
    due_at: Nullable(TimestampOut, { description: 'When that invoice was due.' }),
    payment_url: Nullable(Type.String(), {
      description: "The payment provider's page on which that invoice is paid without a login.",
    }),
  },
  { title: 'PastDue', description: 'An overdue payment; null while nothing is overdue.' },
);
export type PastDue = Static<typeof PastDue>;

const tenantFields = {
  id: Uuid,
  name: Type.String(),
  status: TenantStatus,
  plan_code: Type.String({ description: 'The code of the plan.' }),
  live_tenant_id: Nullable(Uuid, {
    description: 'The tenant whose test copy this one is; null: a live tenant. A test copy is free.',
  }),
  limits: described(Limits, "The limits of the plan with the tenant's overrides applied."),
  limit_overrides: LimitOverrides,
  past_due: Nullable(PastDue),
  placement: Type.String({
    description: "`embedded`, or the name of the PostgreSQL server that holds the tenant's database.",
  }),
  created_at: TimestampOut,
  updated_at: TimestampOut,
  closed_at: Nullable(TimestampOut, { description: 'When it was closed; null for other tenants.' }),
};

const exampleTenant = {
  id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f',
  name: 'Acme',
  status: 'active',
  plan_code: 'team',
  live_tenant_id: null,
  limits: {
    products: null,
    licenses: 5000,
    activations: null,
    api_keys: 20,
    webhooks: 10,
    members: 10,
    integration_requests_per_minute: 6000,
  },
  limit_overrides: { licenses: 5000 },
  past_due: null,
  placement: 'embedded',
  created_at: '2026-11-01T09:05:00.000000Z',
  updated_at: '2026-11-20T17:42:00.123456Z',
  closed_at: null,
};

/** A tenant as admins see it. `limits` are the limits of the plan with the tenant's overrides applied. */
export const TenantView = Type.Object(tenantFields, {
  title: 'Tenant',
  description: 'A software vendor with its own database.',
  examples: [exampleTenant],
});

/** The query of one tenant. Its size is read from the disk or the database server, so only on request. */
export const TenantQuery = strictObject({
  include: Type.Optional(Type.Literal('storage', { description: 'Adds the size of the database.' })),
});

/** A tenant with the storage that it uses. */
export const TenantDetail = Type.Object(
  {
    ...tenantFields,
    storage_bytes: Type.Optional(
      Nullable(Type.Integer(), {
        description: "The size of the tenant's database; null if it cannot be read at the moment.",
      }),
    ),
  },
  {
    title: 'TenantDetail',
    description: 'A tenant with the size of its database.',
    examples: [{ ...exampleTenant, storage_bytes: 1_482_752 }],
  },
);

/** The body of a request that creates a tenant. */
export const CreateTenant = strictObject(
  {
    name: described(PublicName, 'The name of the tenant.'),
    plan_code: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, default: 'free', description: 'The code of the plan.' }),
    ),
    owner_email: Type.Optional(described(Email, 'The owner of the tenant, who is invited by mail.')),
  },
  {
    title: 'CreateTenant',
    description: 'A new tenant.',
    examples: [{ name: 'Acme', plan_code: 'team', owner_email: 'ada@example.com' }],
  },
);

/** The body of a change of a tenant. Absent fields do not change. */
export const UpdateTenant = strictObject(
  {
    name: Type.Optional(described(PublicName, 'The name of the tenant.')),
    status: Type.Optional(
      described(
        TenantStatus,
        '`suspended` stops all access, `active` restores it, `closed` is permanent. The test copy follows.',
      ),
    ),
    plan_code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The code of the plan; not for a plan that a subscription pays for.',
      }),
    ),
    limits: Type.Optional(
      Nullable(LimitChanges, {
        description:
          "Overrides of the plan's limits. An absent limit does not change, null goes back to the limit of the plan, " +
          'and `"unlimited"` lifts it. Null in place of the object removes all overrides.',
      }),
    ),
  },
  {
    title: 'UpdateTenant',
    description: 'The fields of a tenant to change.',
    examples: [{ plan_code: 'business', limits: { licenses: 5000, members: 'unlimited' } }],
  },
);

/** The query of the list of tenants. */
export const TenantsQuery = PageQuery({
  status: Type.Optional(described(TenantStatus, 'Return only tenants with this status.')),
  q: Type.Optional(
    SearchText('Search words, case-insensitive. Each must match the beginning of the id or of a word of the name.'),
  ),
  plan_code: Type.Optional(FilterText(64, 'The code of the plan.')),
  created_from: Type.Optional(described(TimestampIn, 'Return only tenants that were created at this time or later.')),
  created_to: Type.Optional(described(TimestampIn, 'Return only tenants that were created before this time.')),
});
