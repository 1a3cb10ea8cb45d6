import { type Static, Type } from 'typebox';
import { described, Nullable, PageQuery, SearchText, TimestampOut, Uuid } from '../../../http/schema.ts';
import { TenantStatus } from '../../accounts/identity/schemas.ts';

/** The use of a rate-limit window of one minute. */
const window = {
  used: Type.Integer({ description: 'The number of requests allowed in the open window.' }),
  remaining: Type.Integer({ description: 'The requests that the open window still allows.' }),
  resets_at: Nullable(TimestampOut, { description: 'The end of the window; null while no window is open.' }),
};

const KeyUse = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    hint: Type.String({ description: 'The masked key, such as `vx_3f9a…c2d1`.' }),
    requests: Type.Integer({ description: 'The number of requests since midnight UTC.' }),
    window: Nullable(
      Type.Object(
        { ceiling: Type.Integer({ description: 'The requests per minute that the key may send.' }), ...window },
        {
          title: 'RateLimitWindow',
          description: 'The window of a key with its own ceiling; null for other keys.',
        },
      ),
    ),
  },
  { title: 'ApiKeyUse', description: 'The requests of an API key in the current window.' },
);

const RateLimitRejections = Type.Object(
  {
    bucket_start: described(TimestampOut, 'The start of the bucket.'),
    count: Type.Integer({ description: 'The number of refused requests.' }),
  },
  { title: 'RateLimitRejections', description: 'The rejected requests of one period.' },
);

/** The use of a tenant's Integration rate limit. */
export const RateLimitView = Type.Object(
  {
    tenant_id: Uuid,
    name: Type.String({ description: 'The name of the tenant.' }),
    status: TenantStatus,
    ceiling: Type.Integer({
      description: "Integration requests per minute: the plan's limit or the tenant's override.",
    }),
    ...window,
    rejections: Type.Array(RateLimitRejections, {
      description:
        'The number of refused requests per bucket, oldest first. The list of tenants covers the last 24 hours.',
    }),
    top_keys: Type.Array(KeyUse, { description: 'The ten most used keys today.' }),
  },
  { title: 'RateLimitReport', description: "The use of a tenant's rate limit of the Integration API." },
);
export type RateLimitView = Static<typeof RateLimitView>;

/** The query of the list of reports. */
export const RateLimitsQuery = PageQuery({
  status: Type.Optional(described(TenantStatus, 'Return only tenants with this status.')),
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
