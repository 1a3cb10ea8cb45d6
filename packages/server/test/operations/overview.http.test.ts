import { beforeEach, describe, expect, test } from 'vitest';
import { examinedMost } from '../../src/features/operations/overview/queries.ts';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { type TestTenant, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newLicense, newPolicy, newProduct } from '../support/licensing-catalog.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock('2026-11-20T12:30:00.000Z');
const suite = useAdmin(loopbackWebhooks);
const receiver = useReceiver();
const { newEndpoint } = webhookFixtures(suite, receiver);
const dayMs = 86_400_000;
let tenant: TestTenant;

beforeEach(async () => {
  // The frozen clock has 1,000 distinct microseconds per millisecond, so each test gets its own millisecond.
  clock.advance(1);
  tenant = await suite.newTenant();
});

type Surface = 'tenant' | 'admin';

function read(surface: Surface, query = '') {
  const ofSurface = {
    tenant: { url: `/api/v1/tenant/overview${query}`, headers: tenant.owner.auth },
    admin: { url: `/api/v1/admin/tenants/${tenant.id}/overview${query}`, headers: suite.admin.auth },
  };
  return suite.app.request({ method: 'GET', ...ofSurface[surface] });
}

async function overview(query = '', surface: Surface = 'tenant') {
  const answer = await read(surface, query);
  if (answer.status !== 200) throw new Error(`No overview: ${answer.text}`);
  return answer.body.data;
}

const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

describe.each(['tenant', 'admin'] as const)('through the %s surface', (surface) => {
  test('the overview of an empty tenant is complete', async () => {
    const { validations, ...rest } = await overview('', surface);
    expect(rest).toEqual({
      taken_at: expect.stringMatching(/^2026-11-20T/),
      licenses: {
        total: 0,
        active: 0,
        pending: 0,
        suspended: 0,
        expired: 0,
        revoked: 0,
        expiring: 0,
        lower_bounds: [],
      },
      active_activations: 0,
      expiring_soon_days: 14,
      expiring_licenses: [],
      has_webhooks: false,
      failing_webhooks: [],
      trials: { days: 90, started: 0, converted: 0, conversion_rate: null, median_seconds_to_conversion: null },
      limits: expect.objectContaining({ licenses: { limit: null, used: 0 }, api_keys: { limit: null, used: 1 } }),
      first_steps: { product: false, policy: false, license: false, api_key: true, validation: false },
    });
    expect(validations.interval).toBe('day');
    expect(validations.points).toHaveLength(31);
    expect(validations.points.at(-1)).toEqual({ bucket_start: '2026-11-20T00:00:00.000000Z', total: 0, by_code: {} });
  });

  test('the overview counts validations by the code of their verdict in the range that was asked for', async () => {
    const license = await newLicense(tenant);
    const validate = (key: string, body: object = {}) => tenant.asApplication(`/licenses/${key}/validate`, body);
    await validate(license.key);
    await validate(license.key, { product: 'another' });
    clock.advance(3_600_000);
    for (let time = 0; time < 3; time += 1) await validate(license.key);
    await validate('UNKNOWN');
    const { points } = (await overview('?interval=hour&from=2026-11-20T12:00:00Z', surface)).validations;
    clock.advance(-3_600_000);
    const [first, second] = points;
    expect(points).toHaveLength(2);
    expect(first).toMatchObject({ total: 2, by_code: { 'LICENSE.VALID': 1, 'LICENSE.PRODUCT_MISMATCH': 1 } });
    expect(second).toMatchObject({ total: 4, by_code: { 'LICENSE.VALID': 3, 'LICENSE.NOT_FOUND': 1 } });
    const other = await suite.newTenant();
    const { body } = await suite.asAdmin('GET', `/tenants/${other.id}/overview`);
    expect(body.data.validations.points.every(({ total }: { total: number }) => total === 0)).toBe(true);
  });

  test('the overview refuses unknown parameters and ranges without buckets or with too many', async () => {
    for (const query of ['?limit=5', '?from=2026-11-21T00:00:00Z', '?interval=hour&from=2026-01-01T00:00:00Z']) {
      expect((await read(surface, query)).status, query).toBe(422);
    }
  });
});

describe('licenses', () => {
  test('the overview counts licenses by their current status, and lists those that expire first', async () => {
    const first = await newLicense(tenant);
    const make = async (fields: object = {}) =>
      created(await tenant.asOwner('POST', '/licenses', { policy_id: first.policy_id, ...fields }));
    const later = await make({ expires_at: inDays(13), holder: { name: 'Later' } });
    const sooner = await make({ expires_at: inDays(2), holder: { name: 'Sooner' } });
    await make({ expires_at: inDays(15) });
    await make({ starts_at: inDays(1), expires_at: inDays(3) });
    await make({ starts_at: inDays(-3), expires_at: inDays(-1) });
    for (const action of ['suspend', 'revoke', 'revoke']) {
      const { id } = await make({ expires_at: inDays(1) });
      await tenant.asOwner('POST', `/licenses/${id}/${action}`);
    }
    for (const ended of [{ expires_at: inDays(1) }, { starts_at: inDays(-3), expires_at: inDays(-1) }]) {
      await tenant.asOwner('DELETE', `/licenses/${(await make(ended)).id}`);
    }
    const { licenses, expiring_licenses } = await overview();
    const counts = { total: 9, active: 4, pending: 1, suspended: 1, expired: 1, revoked: 2, expiring: 2 };
    expect(licenses).toEqual({ ...counts, lower_bounds: [] });
    expect(expiring_licenses).toEqual(
      [sooner, later].map(({ id, key, holder, expires_at }) => {
        return { id, key, holder_name: holder.name, product_name: 'Editor', expires_at };
      }),
    );
    await tenant.asOwner('PUT', '/settings', { expiring_soon_days: 16 });
    expect(await overview()).toMatchObject({ expiring_soon_days: 16, licenses: { expiring: 3 } });
  });

  test('a count of very many licenses stops, and says that it is a lower bound', async () => {
    const { policy_id } = await newLicense(tenant);
    const rows = Array.from({ length: examinedMost }, () => JSON.stringify({ policy_id, expires_at: inDays(1) }));
    const imported = await suite.app.request({
      method: 'POST',
      url: '/api/v1/tenant/licenses/import',
      headers: { ...tenant.owner.auth, 'content-type': 'application/x-ndjson' },
      payload: rows.join('\n'),
    });
    expect(imported.status).toBe(200);
    clock.advance(2 * dayMs);
    const { licenses } = await overview();
    clock.advance(-2 * dayMs);
    expect(licenses).toMatchObject({
      total: examinedMost + 1,
      active: null,
      expired: examinedMost,
      lower_bounds: ['expired'],
    });
  });
});

test('the overview lists the endpoints that the service disabled or that fail now, and no others', async () => {
  const [gone, failing, working, paused] = await Promise.all(
    [410, 503, 200, 410].map(async (status) => {
      const endpoint = await newEndpoint(tenant);
      receiver.answer(endpoint.path, status);
      return endpoint;
    }),
  );
  await tenant.asOwner('PUT', `/webhooks/${paused?.id}`, { status: 'disabled' });
  for (const endpoint of [gone, failing, working]) await tenant.asOwner('POST', `/webhooks/${endpoint?.id}/test`);
  await suite.app.services.wakeUps.flush();
  await runTenantJobs(suite.app);
  const { failing_webhooks } = await overview();
  expect(failing_webhooks).toHaveLength(2);
  expect(failing_webhooks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: gone?.id, status: 'disabled', disabled_reason: 'gone', failed_deliveries: 1 }),
      expect.objectContaining({
        id: failing?.id,
        status: 'enabled',
        disabled_reason: null,
        // The event that reports the other endpoint goes to this one, too.
        failed_deliveries: 0,
        retrying_deliveries: 2,
      }),
    ]),
  );
});

test('an endpoint is failing in the overview exactly while its own page says so', async () => {
  const own = await suite.newTenant();
  const endpoint = await newEndpoint(own);
  const failing = async () => ({
    page: (await own.asOwner('GET', `/webhooks/${endpoint.id}?include=details`)).body.data.health.is_failing,
    overview: (await own.asOwner('GET', '/overview')).body.data.failing_webhooks.length > 0,
  });
  expect(await failing()).toEqual({ page: false, overview: false });
  const deliver = async () => {
    await own.asOwner('POST', `/webhooks/${endpoint.id}/test`);
    await suite.app.services.wakeUps.flush();
    await runTenantJobs(suite.app);
  };
  receiver.answer(endpoint.path, 503);
  await deliver();
  expect(await failing()).toEqual({ page: true, overview: true });
  receiver.answer(endpoint.path, 200);
  clock.advance(3_600_000);
  await runTenantJobs(suite.app);
  expect(await failing()).toEqual({ page: false, overview: false });
  clock.advance(-3_600_000);
});

describe('the first steps of a tenant', () => {
  test('each first step is done as soon as its object exists, and a validation with an unknown key does not count', async () => {
    const steps = async () => {
      const { api_key: _exists, ...others } = (await overview()).first_steps;
      return Object.entries(others).flatMap(([step, isDone]) => (isDone ? [step] : []));
    };
    const product = await newProduct(tenant);
    expect(await steps()).toEqual(['product']);
    const policy = await newPolicy(tenant, { product_id: product.id });
    expect(await steps()).toEqual(['product', 'policy']);
    const license = created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id }));
    await tenant.asApplication(`/licenses/${newId()}/validate`);
    expect(await steps()).toEqual(['product', 'policy', 'license']);
    await tenant.asOwner('POST', `/licenses/${license.id}/suspend`);
    await tenant.asApplication(`/licenses/${license.key}/validate`);
    expect(await steps()).toEqual(['product', 'policy', 'license', 'validation']);
    await tenant.asOwner('DELETE', `/api-keys/${tenant.apiKeyId}`);
    expect((await overview()).first_steps).toMatchObject({ api_key: false, validation: true });
  });

  test('a license that was validated elsewhere counts, although the figures stayed there', async () => {
    const license = await newLicense(tenant);
    await tenant.asApplication(`/licenses/${license.key}/validate`);
    const { activity, validationTimes, platform } = suite.app.services;
    await Promise.all([activity.flush(), validationTimes.flush()]);
    await platform.query.deleteFrom('verdict_points').where('tenant_id', '=', tenant.id).execute();
    expect((await overview()).first_steps.validation).toBe(true);
  });
});
