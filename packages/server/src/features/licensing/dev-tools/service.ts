import type { TenantDb } from '../../../db/database.ts';
import { apiVersion } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { integrationTenantWindow } from '../../../rate-limit/rate-limits.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { serviceVersion } from '../../../version.ts';
import { type PlanUse, readPlanUse } from '../../tenant-core/plan-limits/service.ts';
import { readWebhookHealth } from '../../webhooks/delivery/service.ts';
import { deriveStatus } from '../licenses/license-status.ts';
import { publicKeys } from '../signing-keys/service.ts';
import { keptFailures } from './failed-requests.ts';
import {
  type Count,
  countActiveAccessTokens,
  countAll,
  countMembers,
  countUnread,
  findNewestLicense,
  findNewestProductCode,
  groupNewestLicenses,
  listFailures,
} from './queries.ts';
import type { Snapshot } from './schemas.ts';
import { curlSnippet, pythonSnippet, snippetVariables, typescriptSnippet } from './snippets.ts';

/** Returns the information that a developer needs for an integration. Contains no secrets and no license keys. */
export async function takeSnapshot(services: Services, tenant: Tenant): Promise<Snapshot> {
  const now = services.clock.now();
  const use = await readPlanUse(services, tenant);
  const counts = await takeCounts(services, tenant, use, now);
  const stored = await listFailures(tenant.db, keptFailures);
  const webhooks = await readWebhookHealth(tenant.db, addDays(now, -1));
  return {
    environment: {
      taken_at: now,
      base_url: services.config.publicUrl,
      service_version: serviceVersion,
      api_version: apiVersion,
      // Runtime, database server, hosts and paths are left out, because they would help an attacker.
      engine: tenant.db.engine === 'sqlite' ? 'embedded' : 'postgresql',
    },
    counts,
    limits: await takeLimits(services, tenant, use),
    failed_requests: services.failedRequests.newest(tenant.id, stored).map(({ id: _internal, ...failure }) => failure),
    webhooks,
    snippets: await takeSnippets(services, tenant),
  };
}

/** Returns the limits of the tenant's plan, and their current use. */
export async function readLimitUse(services: Services, tenant: Tenant): Promise<Snapshot['limits']> {
  return await takeLimits(services, tenant, await readPlanUse(services, tenant));
}

async function takeCounts(
  { platform }: Services,
  tenant: Tenant,
  use: PlanUse,
  now: Timestamp,
): Promise<Snapshot['counts']> {
  const { db } = tenant;
  const lower_bounds: string[] = [];
  const numberOf = async (name: string, read: () => Promise<Count>) => {
    const { count, isLowerBound } = await read();
    if (isLowerBound) lower_bounds.push(name);
    return count;
  };
  const by_status = await takeStatuses(db, now);
  const examined = Object.values(by_status).reduce((sum, count) => sum + count, 0);
  if (examined < use.licenses) lower_bounds.push('licenses.by_status');
  return {
    products: use.products,
    policies: await numberOf('policies', () => countAll(db, 'policies')),
    entitlements: await numberOf('entitlements', () => countAll(db, 'entitlements')),
    licenses: { total: use.licenses, by_status },
    active_activations: use.activations,
    active_api_keys: use.api_keys,
    active_access_tokens: await numberOf('active_access_tokens', () => countActiveAccessTokens(platform, tenant, now)),
    members: await numberOf('members', () => countMembers(platform, tenant)),
    unread_notifications: await numberOf('unread_notifications', () => countUnread(db)),
    lower_bounds,
  };
}

async function takeStatuses(db: TenantDb, now: Timestamp): Promise<Snapshot['counts']['licenses']['by_status']> {
  const byStatus = { pending: 0, active: 0, suspended: 0, revoked: 0, expired: 0 };
  for (const group of await groupNewestLicenses(db, now)) byStatus[deriveStatus(group, now)] += group.count;
  return byStatus;
}

async function takeLimits({ rateLimits }: Services, { id, limits }: Tenant, use: PlanUse): Promise<Snapshot['limits']> {
  const perMinute = limits.integration_requests_per_minute;
  const window = await rateLimits.openWindow(integrationTenantWindow, id);
  const ofPlan = (resource: keyof PlanUse) => ({ limit: limits[resource], used: use[resource] });
  return {
    products: ofPlan('products'),
    licenses: ofPlan('licenses'),
    activations: ofPlan('activations'),
    api_keys: ofPlan('api_keys'),
    members: ofPlan('members'),
    webhooks: ofPlan('webhooks'),
    // Hits include refused requests, which do not use the limit.
    integration_requests_per_minute: { limit: perMinute, used: Math.min(window?.hits ?? 0, perMinute) },
  };
}

async function takeSnippets(services: Services, { db, id: tenantId }: Tenant): Promise<Snapshot['snippets']> {
  const license = await findNewestLicense(db);
  const product = license?.product ?? (await findNewestProductCode(db)) ?? null;
  const jwks = { keys: await publicKeys(services, tenantId) };
  const subject = { baseUrl: services.config.publicUrl, licenseId: license?.id ?? null, product, tenantId, jwks };
  return {
    license_id: subject.licenseId,
    product,
    variables: snippetVariables,
    curl: curlSnippet(subject),
    typescript: typescriptSnippet(subject),
    python: pythonSnippet(subject),
  };
}
