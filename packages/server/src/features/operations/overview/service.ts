import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { readTrialFigures } from '../../holders/trials/conversion-service.ts';
import { readLimitUse } from '../../licensing/dev-tools/service.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import { listEndpointFailures } from '../../webhooks/endpoints/health-service.ts';
import { isFailing } from '../../webhooks/endpoints/webhook.ts';
import type { SeriesQuery } from '../activity/schemas.ts';
import { hasVerdicts, rangeOf, readValidations } from '../activity/service.ts';
import {
  type CountedLicenses,
  countLicenses,
  examinedMost,
  hasPolicy,
  hasValidatedLicense,
  type LicenseCount,
  listExpiring,
} from './queries.ts';
import type { Overview } from './schemas.ts';

/**
 * Returns the state of a tenant, with its validations in a range. The cost does not depend on the number of licenses.
 * Throws 422 for a range without buckets or with too many.
 */
export async function readOverview(services: Services, tenant: Tenant, query: SeriesQuery): Promise<Overview> {
  const range = rangeOf(services, query);
  const now = services.clock.now();
  const { expiring_soon_days } = await readSettings(tenant.db);
  const period = { now, until: addDays(now, expiring_soon_days) };
  const limits = await readLimitUse(services, tenant);
  const expiring = await listExpiring(tenant.db, period);
  return {
    taken_at: now,
    licenses: presentCounts(limits.licenses.used, await countLicenses(tenant.db, period)),
    active_activations: limits.activations.used,
    expiring_soon_days,
    expiring_licenses: expiring.flatMap(({ expires_at, product_name, ...license }) =>
      expires_at === null || product_name === null ? [] : [{ ...license, product_name, expires_at }],
    ),
    validations: { interval: range.interval, points: await readValidations(services, tenant.id, range) },
    trials: await readTrials(tenant, now),
    ...(await readWebhooks(tenant, addDays(now, -1))),
    limits,
    first_steps: await readFirstSteps(services, tenant, limits),
  };
}

/** A quarter: long enough for most trials to have ended. */
const trialDays = 90;

async function readTrials({ db }: Tenant, now: Timestamp): Promise<Overview['trials']> {
  const { started, converted, medianSeconds } = await readTrialFigures(db, addDays(now, -trialDays));
  return {
    days: trialDays,
    started,
    converted,
    conversion_rate: started === 0 ? null : converted / started,
    median_seconds_to_conversion: medianSeconds,
  };
}

function presentCounts(total: number, counts: readonly LicenseCount[]): Overview['licenses'] {
  const byName: Record<CountedLicenses, number> = { pending: 0, suspended: 0, expired: 0, revoked: 0, expiring: 0 };
  for (const { name, count } of counts) byName[name] = count;
  const lower_bounds = counts.filter(({ examined }) => examined >= examinedMost).map(({ name }) => name);
  const { pending, suspended, expired, revoked } = byName;
  const isExact = lower_bounds.every((name) => name === 'expiring');
  const active = isExact ? Math.max(0, total - pending - suspended - expired - revoked) : null;
  return { total, active, ...byName, lower_bounds };
}

async function readWebhooks(
  { db }: Tenant,
  since: Timestamp,
): Promise<Pick<Overview, 'has_webhooks' | 'failing_webhooks'>> {
  const endpoints = await listEndpointFailures(db, since);
  const failing = endpoints.filter((endpoint) => {
    const { status, disabled_reason: reason, retrying } = endpoint;
    return status === 'disabled' ? reason !== 'requested' : isFailing(endpoint, retrying);
  });
  return {
    has_webhooks: endpoints.length > 0,
    failing_webhooks: failing.map(({ failed, retrying, ...endpoint }) => ({
      ...endpoint,
      failed_deliveries: failed,
      retrying_deliveries: retrying,
    })),
  };
}

async function readFirstSteps(
  services: Services,
  tenant: Tenant,
  limits: Overview['limits'],
): Promise<Overview['first_steps']> {
  return {
    product: limits.products.used > 0,
    policy: await hasPolicy(tenant.db),
    license: limits.licenses.used > 0,
    api_key: limits.api_keys.used > 0,
    // The figures do not move with a tenant to another installation, but its licenses do.
    validation: (await hasVerdicts(services, tenant.id)) || (await hasValidatedLicense(tenant.db)),
  };
}
