import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { seriesFilters } from '../activity/schemas.ts';

const counts = {
  validations: Type.Integer({ description: 'Of licenses, with whatever verdict.' }),
  activations: Type.Integer({ description: 'New ones.' }),
  integration_requests: Type.Integer({
    description: 'With a valid key of an active tenant, those that were refused included.',
  }),
  errors: Type.Integer({ description: 'Requests that were answered 4xx or 5xx, but for the rejections.' }),
  error_rate: Nullable(Type.Number({ description: '`errors` of each request; null without requests.' })),
  rate_limit_rejections: Type.Integer(),
  webhook_attempts_succeeded: Type.Integer(),
  webhook_attempts_failed: Type.Integer(),
  webhook_success_rate: Nullable(Type.Number({ description: 'Null without attempts.' })),
};

export const MetricsQuery = strictObject({
  tenant_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Of this tenant alone.' })),
  ...seriesFilters,
});
export type MetricsQuery = Static<typeof MetricsQuery>;

export const Metrics = Type.Object({
  tenants: Type.Object({ active: Type.Integer(), suspended: Type.Integer(), closed: Type.Integer() }),
  mrr: Type.Array(Type.Object({ currency: Type.String(), amount: Type.Integer() }), {
    description:
      'Monthly recurring revenue now, per currency and in its minor unit: active and past due subscriptions, yearly ' +
      'ones by a twelfth.',
  }),
  interval: Type.String({ description: '`hour` or `day`, of UTC.' }),
  from: Type.Unsafe<string>({ ...TimestampOut, description: 'When the first bucket begins.' }),
  to: TimestampOut,
  totals: Type.Object(counts),
  series: Type.Array(Type.Object({ bucket_start: TimestampOut, ...counts }), {
    description: 'Every bucket of the range, oldest first, those without anything included.',
  }),
});
export type Metrics = Static<typeof Metrics>;
