import type { ActivityCounts } from '../../../db/tables/platform/operations.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import { tenantNotFound } from '../../accounts/tenants/service.ts';
import { addCounts, noActivity } from '../activity/counters.ts';
import { hasActivity, rangeOf, readActivity } from '../activity/service.ts';
import { countTenants, countTroubles } from './queries.ts';
import { readMonthlyRevenue, readRevenueDays } from './revenue-service.ts';
import type { Metrics, MetricsQuery } from './schemas.ts';

/**
 * Returns the tenants, the revenue and the activity of all tenants or of one. A deleted tenant still has its figures.
 * Runs at most six statements, independently of the number of tenants. Throws 404 `TENANT.NOT_FOUND`, and
 * 422 for a range without buckets or with too many.
 */
export async function readMetrics(services: Services, query: MetricsQuery): Promise<Metrics> {
  const tenantId = query.tenant_id ?? null;
  const range = rangeOf(services, query);
  const points = await readActivity(services, tenantId, range);
  const tenants = { active: 0, suspended: 0, closed: 0 };
  for (const { status, count } of await countTenants(services.platform, tenantId)) tenants[status] = Number(count);
  const isKnown = tenantId === null || Object.values(tenants).some((count) => count > 0);
  if (!isKnown && !(await hasActivity(services, tenantId))) throw tenantNotFound();
  const mrr = await readMonthlyRevenue(services, tenantId);
  const totals = noActivity();
  for (const point of points) addCounts(totals, point);
  return {
    tenants,
    mrr,
    mrr_series: tenantId === null ? await readRevenueDays(services, range, mrr) : [],
    troubles: tenantId === null ? await countTroubles(services.platform) : null,
    interval: range.interval,
    from: toTimestamp(range.firstMs),
    to: toTimestamp(range.toMs),
    totals: withRates(totals),
    series: points.map(({ bucket_start, ...counts }) => ({ bucket_start, ...withRates(counts) })),
  };
}

function withRates(counts: ActivityCounts): Metrics['totals'] {
  const { errors, integration_requests, webhook_attempts_succeeded, webhook_attempts_failed } = counts;
  const attempts = webhook_attempts_succeeded + webhook_attempts_failed;
  return {
    ...counts,
    error_rate: integration_requests === 0 ? null : errors / integration_requests,
    webhook_success_rate: attempts === 0 ? null : webhook_attempts_succeeded / attempts,
  };
}
