import { type Static, Type } from 'typebox';
import type { Scope } from '../../../http/routes/tenant-route.ts';
import {
  described,
  Name,
  Nullable,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { CreatorName } from '../credentials/credential.ts';

/** The scopes of a key for which none are chosen. */
export const defaultScopes = [
  'licenses:validate',
  'activations:write',
  'entitlements:check',
  'usage:write',
] as const satisfies readonly Scope[];

/** All scopes of the Integration API. A key creates licenses or reads releases only if somebody chose that for it. */
export const allScopes = [...defaultScopes, 'trials:create', 'releases:read'] as const satisfies readonly Scope[];

const ApiKeyScope = Type.Enum([...allScopes], {
  title: 'ApiKeyScope',
  description:
    'A permission of the Integration API. Certificates require `licenses:validate`. A new key has all but ' +
    '`trials:create`, with which an application starts trials without a key, and `releases:read`, with which it finds updates.',
});

const text = {
  expires_at: 'When the key stops working; null: never.',
  scopes: 'What the key may do.',
  allowed_cidrs: 'The networks from which the key may be used; empty: all networks.',
  product_id:
    'The only product that the key works for: it does not know the licenses of other products. Null: all products.',
  rate_limit_per_minute: "The requests per minute with this key; null: only the tenant's limit applies.",
  rate_limit_per_address_per_minute:
    'The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network. ' +
    'Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.',
};

const ApiKeyCreator = Type.Object(
  {
    type: Type.String({ description: '`user`, `admin` or `system`.' }),
    id: Nullable(Type.String(), {
      description: 'The id of the user or admin, or of the access token; its type is `user` too.',
    }),
    name: Type.Optional(CreatorName),
  },
  { title: 'ApiKeyCreator', description: 'Who created the key.' },
);

const common = {
  hint: Type.String({ description: 'The masked key, such as `vx_3f9a…c2d1`, by which people recognise it.' }),
  expires_at: Nullable(TimestampOut, { description: text.expires_at }),
  last_used_at: Nullable(TimestampOut, { description: 'The time of the newest request; null before the first.' }),
  scopes: Type.Array(ApiKeyScope, { description: text.scopes }),
  allowed_cidrs: Type.Array(Type.String(), { description: text.allowed_cidrs }),
  product_id: Nullable(Uuid, { description: text.product_id }),
  rate_limit_per_minute: Nullable(Type.Integer(), { description: text.rate_limit_per_minute }),
  rate_limit_per_address_per_minute: Nullable(Type.Integer(), { description: text.rate_limit_per_address_per_minute }),
  created_by: Nullable(ApiKeyCreator),
};

const exampleCommon = {
  hint: 'vx_3f9a…c2d1',
  expires_at: null,
  last_used_at: null,
  scopes: [...defaultScopes],
  allowed_cidrs: [],
  product_id: null,
  rate_limit_per_minute: null,
  rate_limit_per_address_per_minute: 60,
  created_by: { type: 'user', id: '019a9b1a-0c11-7e02-9d3f-2a5b8c7d6e10', name: 'Ada Lovelace' },
};

const exampleIdentity = { id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f71b', name: 'Editor 5 for macOS' };
const exampleState = { status: 'active', created_at: '2026-11-20T17:42:00.123456Z' };

/** An API key as callers see it. The raw key is not included. */
export const ApiKey = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    status: Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('expired')], {
      title: 'ApiKeyStatus',
      description: 'Only an `active` key is accepted.',
    }),
    created_at: TimestampOut,
    ...common,
  },
  {
    title: 'ApiKey',
    description: 'A credential of the Integration API, without the raw key.',
    examples: [{ ...exampleIdentity, ...exampleState, ...exampleCommon }],
  },
);

declare module '../../tenant-core/events/event.ts' {
  interface EventDataTypes {
    'api_key.created': Static<typeof ApiKey>;
    'api_key.revoked': Static<typeof ApiKey>;
  }
}

/** An API key in the response to its creation, with the raw key. */
export const CreatedApiKey = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    key: Nullable(Type.String(), {
      description: 'The key. Only this response contains it; null in a replayed response of an idempotent request.',
    }),
    status: Type.Literal('active'),
    created_at: TimestampOut,
    ...common,
  },
  {
    title: 'CreatedApiKey',
    description: 'A new API key with the raw key.',
    examples: [
      {
        ...exampleIdentity,
        key: `vx_3f9a${'0b1c2d3e4f5a6978'.repeat(4).slice(0, 56)}c2d1`,
        ...exampleState,
        ...exampleCommon,
      },
    ],
  },
);

const requestsPerMinute = { minimum: 1, maximum: 1_000_000 };

const fields = {
  name: described(Name, 'The name by which people recognise the key.'),
  scopes: Type.Array(ApiKeyScope, {
    minItems: 1,
    maxItems: allScopes.length,
    uniqueItems: true,
    description: text.scopes,
  }),
  limits: {
    expires_at: Type.Optional(Nullable(TimestampIn, { description: text.expires_at })),
    allowed_cidrs: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 100,
        description: text.allowed_cidrs,
        examples: [['203.0.113.0/24', '2001:db8::/32']],
      }),
    ),
    product_id: Type.Optional(Nullable(Uuid, { description: text.product_id })),
    rate_limit_per_minute: Type.Optional(
      Nullable(Type.Integer(requestsPerMinute), { description: text.rate_limit_per_minute }),
    ),
    rate_limit_per_address_per_minute: Type.Optional(
      Nullable(Type.Integer(requestsPerMinute), { description: text.rate_limit_per_address_per_minute }),
    ),
  },
};

/** The body of a request that creates an API key. */
export const CreateApiKey = strictObject(
  withDefaults(
    { name: fields.name, scopes: Type.Optional(fields.scopes), ...fields.limits },
    {
      expires_at: null,
      scopes: defaultScopes,
      allowed_cidrs: [],
      product_id: null,
      rate_limit_per_minute: null,
      rate_limit_per_address_per_minute: null,
    },
  ),
  {
    title: 'CreateApiKey',
    description: 'A new API key.',
    examples: [{ name: 'Editor 5 for macOS', rate_limit_per_address_per_minute: 60 }],
  },
);

/** The body of a request that changes an API key. */
export const UpdateApiKey = strictObject(
  { name: Type.Optional(fields.name), scopes: Type.Optional(fields.scopes), ...fields.limits },
  {
    title: 'UpdateApiKey',
    description: 'The fields of an API key to change. A field that is left out keeps its value; null lifts a limit.',
    examples: [{ name: 'Editor 6 for macOS', rate_limit_per_address_per_minute: 120 }],
  },
);
export type UpdateApiKey = Static<typeof UpdateApiKey>;

/** How long a replaced key works beside its replacement, unless the caller says otherwise: a day. */
export const defaultOverlapSeconds = 86_400;

/** The body of a request that replaces an API key. */
export const RotateApiKey = strictObject(
  withDefaults(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 31_536_000,
          description:
            'How long the old key still works. 0: it ends now. A key never ends later than its `expires_at`.',
        }),
      ),
      expires_at: described(fields.limits.expires_at, 'When the new key stops working; null: never.'),
    },
    { overlap_seconds: defaultOverlapSeconds, expires_at: null },
  ),
  { title: 'RotateApiKey', description: 'How a key is replaced.', examples: [{ overlap_seconds: 604_800 }] },
);
export type RotateApiKey = Static<typeof RotateApiKey>;
