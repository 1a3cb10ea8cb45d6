import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { Amount, CurrencyOut } from '../../commerce/plans/schemas.ts';
import { seriesFilters } from '../activity/schemas.ts';
import { countedMax } from './queries.ts';

const counts = {
  validations: Type.Integer({ description: 'License validations, with any verdict.' }),
  activations: Type.Integer({ description: 'The number of new activations.' }),
  integration_requests: Type.Integer({
    description: 'Requests with a valid key of an active tenant, including refused requests.',
  }),
  errors: Type.Integer({ description: 'Responses with status 5xx.' }),
  error_rate: Nullable(Type.Number(), {
    description: '`errors` divided by `integration_requests`; null without requests.',
  }),
  rate_limit_rejections: Type.Integer({ description: 'Requests that the rate limit refused.' }),
  webhook_attempts_succeeded: Type.Integer({ description: 'Webhook attempts with a 2xx response.' }),
  webhook_attempts_failed: Type.Integer({ description: 'All other webhook attempts.' }),
  webhook_success_rate: Nullable(Type.Number(), {
    description: 'Successful webhook attempts divided by all attempts; null without attempts.',
  }),
};

/** The query of the metrics. */
export const MetricsQuery = strictObject({
  tenant_id: Type.Optional(described(Uuid, 'Return only the figures of this tenant.')),
  ...seriesFilters,
});
export type MetricsQuery = Static<typeof MetricsQuery>;

/** The metrics of the platform or of one tenant. */
export const Metrics = Type.Object(
  {
    tenants: Type.Object(
      { active: Type.Integer(), suspended: Type.Integer(), closed: Type.Integer() },
      { title: 'TenantCounts', description: 'The number of tenants by status.' },
    ),
    mrr: Type.Array(
      Type.Object(
        { currency: CurrencyOut, amount: Amount },
        { title: 'MoneyAmount', description: 'An amount of money.' },
      ),
      {
        description:
          'The current monthly recurring revenue per currency, in its minor unit: active and past-due subscriptions, ' +
          'less lasting discounts.',
      },
    ),
    mrr_series: Type.Array(
      Type.Object(
        { day_start: described(TimestampOut, 'The start of the day in UTC.'), currency: CurrencyOut, amount: Amount },
        { title: 'RevenueDay', description: 'The revenue of one day in one currency.' },
      ),
      {
        description:
          '`mrr` on each recorded day of the range, oldest first; of the current day, the current `mrr`. The service ' +
          'records it once a day. Empty for a single tenant.',
      },
    ),
    troubles: Nullable(
      Type.Object(
        {
          dead_jobs: Type.Integer({ description: 'Jobs that the service gave up on.' }),
          dead_mails: Type.Integer({ description: 'Mails that the service gave up on.' }),
          past_due: Type.Integer({ description: 'Subscriptions with an overdue payment.' }),
        },
        { title: 'Troubles' },
      ),
      { description: `What needs an admin now, each count up to ${countedMax}. Null for a single tenant.` },
    ),
    interval: Type.String({ description: 'The length of a bucket: `hour` or `day`, in UTC.' }),
    from: described(TimestampOut, 'The start of the first bucket.'),
    to: described(TimestampOut, 'The end of the range, exclusive.'),
    totals: Type.Object(counts, { title: 'MetricTotals', description: 'The sums over the range.' }),
    series: Type.Array(
      Type.Object(
        { bucket_start: described(TimestampOut, 'The start of the bucket.'), ...counts },
        { title: 'MetricBucket', description: 'The figures of one hour or day.' },
      ),
      { description: 'Every bucket of the range, oldest first, including buckets without activity.' },
    ),
  },
  { title: 'Metrics', description: 'The figures of the platform or of one tenant.' },
);
export type Metrics = Static<typeof Metrics>;
