import type { PlatformDb } from '../../../db/database.ts';
import type { ApiKeysTable } from '../../../db/tables/platform/tenants.ts';
import type { Page } from '../../../http/envelope.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { integrationKeyWindow, integrationTenantWindow } from '../../../rate-limit/rate-limits.ts';
import type { Services } from '../../../services.ts';
import { limitsOf } from '../../../tenancy/tenant-record.ts';
import { pageOfTenants, readTenant, type TenantWithPlan } from '../../accounts/tenants/service.ts';
import type { SeriesQuery } from '../activity/schemas.ts';
import {
  type ActivityRange,
  lastHours,
  rangeOf,
  readRejections,
  readTopKeys,
  recentlyRejected,
} from '../activity/service.ts';
import type { RateLimitsQuery, RateLimitView } from './schemas.ts';

type KeyUse = RateLimitView['top_keys'][number];
type WindowUse = NonNullable<KeyUse['window']>;

/**
 * Returns one page of tenants with the use of their rate limits. The number of statements does not depend on the size
 * of the page.
 */
export async function listRateLimits(
  services: Services,
  { limited, ...query }: RateLimitsQuery,
): Promise<Page<RateLimitView>> {
  // Flushed first, so that the filter also finds a tenant whose request was refused just now.
  await services.activity.flush();
  const filters = limited === undefined ? [] : [recentlyRejected(services)];
  const page = await pageOfTenants(services.platform, query, filters);
  return { ...page, rows: await present(services, page.rows, lastHours(services)) };
}

/**
 * Returns the use of one tenant's rate limit and its rejections over a range. Throws 404 `TENANT.NOT_FOUND`, and 422
 * for a range without buckets or with too many.
 */
export async function readRateLimit(services: Services, tenantId: string, query: SeriesQuery): Promise<RateLimitView> {
  const range = rangeOf(services, query);
  const [view] = await present(services, [await readTenant(services.platform, tenantId)], range);
  if (view === undefined) throw new Error(`The rate limit of tenant ${tenantId} was not read.`);
  return view;
}

async function present(
  services: Services,
  tenants: readonly TenantWithPlan[],
  range: ActivityRange,
): Promise<RateLimitView[]> {
  const ids = tenants.map(({ id }) => id);
  const rejections = await readRejections(services, ids, range);
  const uses = await readTopKeys(services, ids);
  const keys = await findKeys(
    services.platform,
    uses.map(({ key_id }) => key_id),
  );
  const keysById = new Map(keys.map((key) => [key.id, key]));
  const keyUses = await Promise.all(
    uses.flatMap(({ tenant_id, key_id, requests }) => {
      const key = keysById.get(key_id);
      return key === undefined ? [] : [presentKey(services, key, requests).then((use) => ({ tenant_id, use }))];
    }),
  );
  const usesByTenant = Map.groupBy(keyUses, ({ tenant_id }) => tenant_id);
  return await Promise.all(
    tenants.map(async (tenant) => {
      const ceiling = limitsOf(tenant).integration_requests_per_minute;
      const { id: tenant_id, name, status } = tenant;
      return {
        tenant_id,
        name,
        status,
        ...(await readWindow(services, integrationTenantWindow, tenant_id, ceiling)),
        rejections: [...(rejections.get(tenant_id) ?? [])],
        top_keys: (usesByTenant.get(tenant_id) ?? []).map(({ use }) => use).sort(mostUsedFirst),
      };
    }),
  );
}

async function presentKey(services: Services, key: NamedKey, requests: number): Promise<KeyUse> {
  const { id, name, hint, rate_limit_per_minute: ceiling } = key;
  const window = ceiling === null ? null : await readWindow(services, integrationKeyWindow, id, ceiling);
  return { id, name, hint, requests, window };
}

function mostUsedFirst(left: KeyUse, right: KeyUse): number {
  return right.requests - left.requests || (left.id < right.id ? 1 : -1);
}

async function readWindow(
  { rateLimits }: Services,
  windowName: string,
  key: string,
  ceiling: number,
): Promise<WindowUse> {
  const open = await rateLimits.openWindow(windowName, key);
  // The counter includes refused requests, which do not use the window.
  const used = Math.min(open?.hits ?? 0, ceiling);
  return { ceiling, used, remaining: ceiling - used, resets_at: open === null ? null : toTimestamp(open.resetAtMs) };
}

/** The columns of an API key that a report shows. */
export type NamedKey = Pick<ApiKeysTable, 'id' | 'name' | 'hint' | 'rate_limit_per_minute'>;

/** Returns the API keys with the given ids, unordered. */
async function findKeys(platform: PlatformDb, ids: readonly string[]): Promise<NamedKey[]> {
  if (ids.length === 0) return [];
  const keys = platform.query.selectFrom('api_keys').select(['id', 'name', 'hint', 'rate_limit_per_minute']);
  return await keys.where('id', 'in', ids).execute();
}
