import { type Static, Type } from 'typebox';
import { Name, Nullable, strictObject, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { allScopes } from './api-key.ts';

const ApiKeyScope = Type.Enum([...allScopes]);

const addressLimitText =
  'The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network. ' +
  'Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.';

const common = {
  hint: Type.String({ description: 'The masked key, such as `vx_3f9a…c2d1`, by which people recognise it.' }),
  expires_at: Nullable(TimestampOut),
  last_used_at: Nullable(TimestampOut),
  scopes: Type.Array(ApiKeyScope),
  allowed_cidrs: Type.Array(Type.String()),
  rate_limit_per_minute: Nullable(Type.Integer()),
  rate_limit_per_address_per_minute: Nullable(Type.Integer({ description: addressLimitText })),
  created_by: Nullable(Type.Object({ type: Type.String(), id: Nullable(Type.String()) })),
};

/** An API key as callers see it. The raw key is not included. */
export const ApiKey = Type.Object({
  id: Uuid,
  name: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('expired')]),
  created_at: TimestampOut,
  ...common,
});

declare module '../../tenant-core/events/event-data.ts' {
  interface EventDataTypes {
    'api_key.created': Static<typeof ApiKey>;
    'api_key.revoked': Static<typeof ApiKey>;
  }
}

/** An API key in the response to its creation, with the raw key. */
export const CreatedApiKey = Type.Object({
  id: Uuid,
  name: Type.String(),
  key: Nullable(
    Type.String({
      description: 'The key. Only this response contains it; null in a replayed response of an idempotent request.',
    }),
  ),
  status: Type.Literal('active'),
  created_at: TimestampOut,
  ...common,
});

const requestsPerMinute = { minimum: 1, maximum: 1_000_000 };

/** The body of a request that creates an API key. */
export const CreateApiKey = strictObject({
  name: Name,
  expires_at: Type.Optional(Nullable(TimestampIn)),
  scopes: Type.Optional(Type.Array(ApiKeyScope, { minItems: 1, maxItems: allScopes.length, uniqueItems: true })),
  allowed_cidrs: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 })),
  rate_limit_per_minute: Type.Optional(Nullable(Type.Integer(requestsPerMinute))),
  rate_limit_per_address_per_minute: Type.Optional(
    Nullable(Type.Integer({ ...requestsPerMinute, description: addressLimitText })),
  ),
});
