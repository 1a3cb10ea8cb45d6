import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, SearchText, TimestampOut, Uuid } from '../../../http/schema.ts';
import { TenantStatus } from '../../accounts/tenants/schemas.ts';

/** The use of a rate-limit window of one minute. */
const window = {
  used: Type.Integer({ description: 'The number of requests allowed in the open window.' }),
  remaining: Type.Integer(),
  resets_at: Nullable(Type.Unsafe<string>({ ...TimestampOut, description: 'Null while no window is open.' })),
};

const KeyUse = Type.Object({
  id: Uuid,
  name: Type.String(),
  hint: Type.String(),
  requests: Type.Integer({ description: 'The number of requests since midnight UTC.' }),
  window: Nullable(
    Type.Object(
      { ceiling: Type.Integer(), ...window },
      { description: 'The window of a key with its own ceiling; null for other keys.' },
    ),
  ),
});

/** The use of a tenant's Integration rate limit. */
export const RateLimitView = Type.Object({
  tenant_id: Uuid,
  name: Type.String(),
  status: TenantStatus,
  ceiling: Type.Integer({ description: "Integration requests per minute: the plan's limit or the tenant's override." }),
  ...window,
  rejections: Type.Array(Type.Object({ bucket_start: TimestampOut, count: Type.Integer() }), {
    description:
      'The number of refused requests per bucket, oldest first. The list of tenants covers the last 24 hours.',
  }),
  top_keys: Type.Array(KeyUse, { description: 'The ten most used keys today.' }),
});
export type RateLimitView = Static<typeof RateLimitView>;

/** The query of the list of reports. */
export const RateLimitsQuery = PageQuery({
  status: Type.Optional(TenantStatus),
  q: Type.Optional(
    SearchText('Search words, case-insensitive. Each must match the beginning of the id or of a word of the name.'),
  ),
  limited: Type.Optional(
    Type.Literal('true', {
      description: 'Return only tenants whose rate limit refused a request in the last 24 hours.',
    }),
  ),
});
export type RateLimitsQuery = Static<typeof RateLimitsQuery>;
