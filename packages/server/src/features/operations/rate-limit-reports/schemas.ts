import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, SearchText, TimestampOut, Uuid } from '../../../http/schema.ts';
import { TenantStatus } from '../../accounts/tenants/schemas.ts';

/** A window of one minute, as far as it is used. */
const window = {
  used: Type.Integer({ description: 'Requests that the open window has let pass.' }),
  remaining: Type.Integer(),
  resets_at: Nullable(Type.Unsafe<string>({ ...TimestampOut, description: 'Null while no window is open.' })),
};

const KeyUse = Type.Object({
  id: Uuid,
  name: Type.String(),
  hint: Type.String(),
  requests: Type.Integer({ description: 'Since midnight UTC.' }),
  window: Nullable(
    Type.Object(
      { ceiling: Type.Integer(), ...window },
      { description: 'Of a key with a ceiling of its own; else null.' },
    ),
  ),
});

export const RateLimitView = Type.Object({
  tenant_id: Uuid,
  name: Type.String(),
  status: TenantStatus,
  ceiling: Type.Integer({ description: 'Integration requests per minute: of the plan, or of the tenant.' }),
  ...window,
  rejections: Type.Array(Type.Object({ bucket_start: TimestampOut, count: Type.Integer() }), {
    description: 'How many requests the limit refused, in every bucket, oldest first. In the list: the last 24 hours.',
  }),
  top_keys: Type.Array(KeyUse, { description: 'The ten keys with which most requests came today.' }),
});
export type RateLimitView = Static<typeof RateLimitView>;

export const RateLimitsQuery = PageQuery({
  status: Type.Optional(TenantStatus),
  q: Type.Optional(SearchText('Words, each the beginning of a word of the name or of the id, in any case.')),
  limited: Type.Optional(
    Type.Literal('true', { description: 'Those whose limit refused a request in the last 24 hours.' }),
  ),
});
export type RateLimitsQuery = Static<typeof RateLimitsQuery>;
