import { describe, expect, test } from 'vitest';
import type { SubscriptionsTable } from '../../src/db/tables/platform/billing.ts';
import { newId } from '../../src/lib/ids.ts';
import { addTenantRow } from '../accounts/people.ts';
import { insertSubscription } from '../commerce/billing-data.ts';
import { createAdmin, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newLicense } from '../support/licensing-catalog.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { deliver, loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock('2026-11-20T09:59:00.000Z');
const suite = useTenant(loopbackWebhooks);
const receiver = useReceiver();
const { newEndpoint, happen } = webhookFixtures(suite, receiver);

const send = (query: string, headers = suite.admin.auth) =>
  suite.app.request({ method: 'GET', url: `/api/v1/admin/metrics?${query}`, headers });
const metrics = async (query: string) => {
  const answer = await send(query);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};

const nothing = {
  validations: 0,
  activations: 0,
  integration_requests: 0,
  errors: 0,
  error_rate: null,
  rate_limit_rejections: 0,
  webhook_attempts_succeeded: 0,
  webhook_attempts_failed: 0,
  webhook_success_rate: null,
};

describe("the activity of a tenant's applications", () => {
  test('requests, validations and new activations count for the hour in which they happen, and refusals are not errors', async () => {
    const { key } = await newLicense(suite.tenant, { max_activations: 1 });
    await suite.tenant.asApplication(`/licenses/${key}/validate`);
    clock.set('2026-11-20T10:00:00.000Z');
    await suite.tenant.asApplication(`/licenses/${key}/validate`);
    await suite.tenant.asApplication('/licenses/UNKNOWN/validate');
    created(await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'one' }));
    // A repeated activation, one beyond the limit, and one of an unknown license.
    expect((await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'one' })).status).toBe(200);
    expect((await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'two' })).status).toBe(422);
    expect((await suite.tenant.asApplication('/licenses/UNKNOWN/activations', { fingerprint: 'x' })).status).toBe(404);
    // Without a key, the request counts for no tenant.
    await suite.app.request({ method: 'POST', url: '/api/v1/integration/licenses/UNKNOWN/validate' });

    const of = 'from=2026-11-20T08:30:00Z&to=2026-11-20T10:30:00Z&interval=hour';
    const first = { ...nothing, validations: 1, integration_requests: 1, error_rate: 0 };
    const second = {
      ...nothing,
      validations: 2,
      activations: 1,
      integration_requests: 6,
      errors: 0,
      error_rate: 0,
    };
    for (const query of [of, `${of}&tenant_id=${suite.tenant.id}`]) {
      const { series, totals, from, to, interval } = await metrics(query);
      expect(series).toEqual([
        { bucket_start: '2026-11-20T08:00:00.000000Z', ...nothing },
        { bucket_start: '2026-11-20T09:00:00.000000Z', ...first },
        { bucket_start: '2026-11-20T10:00:00.000000Z', ...second },
      ]);
      expect(totals).toEqual({
        ...nothing,
        validations: 3,
        activations: 1,
        integration_requests: 7,
        errors: 0,
        error_rate: 0,
      });
      expect([from, to, interval]).toEqual(['2026-11-20T08:00:00.000000Z', '2026-11-20T10:30:00.000000Z', 'hour']);
    }
    const other = await addTenantRow(suite.app, 'Other');
    expect((await metrics(`${of}&tenant_id=${other.id}`)).totals).toEqual(nothing);
  });

  test('the point of a day is the sum of its hours', async () => {
    const { series } = await metrics('from=2026-11-19T00:00:00Z&to=2026-11-21T00:00:00Z');
    expect(series).toMatchObject([
      { bucket_start: '2026-11-19T00:00:00.000000Z', validations: 0 },
      { bucket_start: '2026-11-20T00:00:00.000000Z', validations: 3, integration_requests: 7, errors: 0 },
    ]);
  });

  test('rate-limit rejections do not count as errors', async () => {
    const limited = await suite.newTenant();
    const limits = { integration_requests_per_minute: 2 };
    await suite.asAdmin('PATCH', `/tenants/${limited.id}`, { limits });
    for (let time = 0; time < 5; time += 1) await limited.asApplication('/licenses/UNKNOWN/validate');
    expect((await metrics(`tenant_id=${limited.id}`)).totals).toMatchObject({
      integration_requests: 5,
      validations: 2,
      rate_limit_rejections: 3,
      errors: 0,
    });
  });

  test('a request that fails in the service counts as an error', async () => {
    const broken = await suite.newTenant();
    const { key } = await newLicense(broken);
    await suite.app.services.tenants.withTenantDb(broken.id, (db) =>
      db.query.schema.dropTable('activations').execute(),
    );
    const answer = await broken.asApplication(`/licenses/${key}/activations`, { fingerprint: 'a' });
    expect(answer.status).toBe(500);
    expect((await metrics(`tenant_id=${broken.id}`)).totals).toMatchObject({ errors: 1, error_rate: 1 });
  });

  test('attempts to deliver webhooks count as succeeded or failed', async () => {
    const receiving = await suite.newTenant();
    const { path } = await newEndpoint(receiving);
    await happen(receiving, 3);
    await deliver(suite.app, receiving);
    receiver.answer(path, 500);
    await happen(receiving);
    await deliver(suite.app, receiving);
    expect((await metrics(`tenant_id=${receiving.id}`)).totals).toMatchObject({
      webhook_attempts_succeeded: 3,
      webhook_attempts_failed: 1,
      webhook_success_rate: 0.75,
    });
  });

  test('requests of a suspended tenant do not count', async () => {
    const suspended = await suite.newTenant();
    const patch = { method: 'PATCH', url: `/api/v1/admin/tenants/${suspended.id}`, headers: suite.admin.auth } as const;
    await suite.app.request({ ...patch, payload: { status: 'suspended' } });
    expect((await suspended.asApplication('/licenses/UNKNOWN/validate')).status).toBe(403);
    expect((await metrics(`tenant_id=${suspended.id}`)).totals).toEqual(nothing);
  });
});

describe('the range', () => {
  test('the default range is the last 30 days, or the last 24 hours for hourly buckets', async () => {
    clock.set('2026-11-20T10:20:00.000Z');
    const days = (await metrics('')).series;
    expect([days.length, days[0].bucket_start, days.at(-1).bucket_start]).toEqual([
      31,
      '2026-10-21T00:00:00.000000Z',
      '2026-11-20T00:00:00.000000Z',
    ]);
    const hours = (await metrics('interval=hour')).series;
    expect([hours.length, hours[0].bucket_start, hours.at(-1).bucket_start]).toEqual([
      25,
      '2026-11-19T10:00:00.000000Z',
      '2026-11-20T10:00:00.000000Z',
    ]);
  });

  test.each([
    ['from=2026-11-20T00:00:00Z&to=2026-11-20T00:00:00Z', 'from'],
    ['from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', 'from'],
    ['from=2090-01-01T00:00:00Z', 'from'],
    ['from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59Z', 'from'],
    ['from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&interval=hour', 'from'],
    ['from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z&interval=hour', 'from'],
  ])('the metrics query %s is refused with an error for %s', async (query, field) => {
    const refused = await send(query);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
  });

  test('a range of up to 1,100 buckets is returned completely, at any time from 1970 to 9999', async () => {
    const of = async (query: string) => (await metrics(query)).series.length;
    expect(await of('from=2023-11-17T00:00:00Z&to=2026-11-21T00:00:00Z')).toBe(1100);
    expect(await of('from=9999-12-31T22:00:00Z&to=9999-12-31T23:59:59.999999Z&interval=hour')).toBe(2);
    expect(await of('to=1970-01-01T05:00:00Z&interval=hour')).toBe(5);
    expect(await of('from=2026-11-20T01:00:00%2B01:00&to=2026-11-20T02:00:00Z&interval=hour')).toBe(2);
  });
});

describe('tenants and revenue', () => {
  const subscribe = (tenantId: string, fields: Partial<SubscriptionsTable>) =>
    insertSubscription(suite.app, tenantId, fields);

  test('revenue is per currency and month and includes only active and past-due subscriptions', async () => {
    expect((await metrics('')).mrr).toEqual([]);
    const rows: Partial<SubscriptionsTable>[] = [
      { amount: 1000 },
      { amount: 500, status: 'past_due' },
      { amount: 10_007, interval: 'year' },
      { amount: 10_007, interval: 'year' },
      { amount: 700, currency: 'usd' },
      ...(['incomplete', 'incomplete_expired', 'trialing', 'unpaid', 'paused', 'canceled'] as const).map((status) => ({
        status,
        amount: 9999,
      })),
    ];
    const ids: string[] = [];
    for (const row of rows) {
      const { id } = await addTenantRow(suite.app, 'Subscriber');
      ids.push(id);
      await subscribe(id, row);
    }
    expect((await metrics('')).mrr).toEqual([
      { currency: 'eur', amount: 1500 + Math.round((2 * 10_007) / 12) },
      { currency: 'usd', amount: 700 },
    ]);
    expect((await metrics(`tenant_id=${ids[2]}`)).mrr).toEqual([{ currency: 'eur', amount: 834 }]);
    expect((await metrics(`tenant_id=${ids[6]}`)).mrr).toEqual([]);
  });

  /** The discounts of subscriptions, with the yearly revenue that is left. Each case has its own currency. */
  const discounts: readonly (readonly [name: string, fields: Partial<SubscriptionsTable>, yearly: number])[] = [
    ['20 % forever of 10.00 a month', { discount_basis_points: 2000, discount_duration: 'forever' }, 9600],
    ['20 % repeating', { discount_basis_points: 2000, discount_duration: 'repeating' }, 9600],
    ['20 % once', { discount_basis_points: 2000, discount_duration: 'once' }, 12_000],
    ['100 % forever', { discount_basis_points: 10_000, discount_duration: 'forever' }, 0],
    [
      '33.33 % of 9.99: 3.33 of an invoice',
      { amount: 999, discount_basis_points: 3333, discount_duration: 'forever' },
      7992,
    ],
    [
      'half a cent is rounded up: 50 % of 0.05',
      { amount: 5, discount_basis_points: 5000, discount_duration: 'forever' },
      24,
    ],
    ['0.01 % of 10.00 is nothing', { discount_basis_points: 1, discount_duration: 'forever' }, 12_000],
    ['3.00 off each month', { discount_amount: 300, discount_duration: 'forever' }, 8400],
    [
      '3.00 off each year',
      { interval: 'year', amount: 10_000, discount_amount: 300, discount_duration: 'forever' },
      9700,
    ],
    ['3.00 off once', { discount_amount: 300, discount_duration: 'once' }, 12_000],
    ['more off than the price', { discount_amount: 5000, discount_duration: 'repeating' }, 0],
    [
      'the largest price',
      { amount: 99_999_999, discount_basis_points: 1, discount_duration: 'forever' },
      1_199_879_988,
    ],
    ['a trial', { status: 'trialing', discount_amount: 300, discount_duration: 'forever' }, 0],
    ['past due', { status: 'past_due', discount_amount: 300, discount_duration: 'repeating' }, 8400],
  ];

  test('a discount of more than one invoice lowers the revenue, exactly and per subscription', async () => {
    const currencies = Intl.supportedValuesOf('currency')
      .map((currency) => currency.toLowerCase())
      .filter((currency) => currency !== 'eur' && currency !== 'usd');
    for (const [index, [, fields]] of discounts.entries()) {
      const { id } = await addTenantRow(suite.app, 'Subscriber');
      await subscribe(id, { currency: currencies[index] ?? '', coupon_code: 'C', ...fields });
    }
    const overview = await suite.asAdmin('GET', '/billing/overview');
    const { mrr: months } = await metrics('');
    for (const [index, [name, fields, yearly]] of discounts.entries()) {
      const currency = currencies[index];
      const ofCurrency = <Row extends { currency: string }>(rows: readonly Row[]) =>
        rows.find((row) => row.currency === currency);
      const { mrr, arr } =
        ofCurrency<{ currency: string; mrr: number; arr: number }>(overview.body.data.currencies) ?? {};
      expect([name, arr, mrr]).toEqual([name, yearly, Math.round(yearly / 12)]);
      expect(ofCurrency<{ currency: string; mrr: number }>(overview.body.data.by_plan)?.mrr).toBe(mrr);
      const month = ofCurrency<{ currency: string; amount: number }>(months);
      expect([name, month?.amount]).toEqual([name, fields.status === 'trialing' ? undefined : mrr]);
    }
  });

  test('tenants are counted by status', async () => {
    const { tenants: before } = await metrics('');
    await addTenantRow(suite.app, 'One', 'suspended');
    await addTenantRow(suite.app, 'Two', 'closed');
    const { id } = await addTenantRow(suite.app, 'Three', 'closed');
    expect((await metrics('')).tenants).toEqual({
      active: before.active,
      suspended: before.suspended + 1,
      closed: before.closed + 2,
    });
    expect((await metrics(`tenant_id=${id}`)).tenants).toEqual({ active: 0, suspended: 0, closed: 1 });
  });

  test('the figures of a closed or deleted tenant are kept, and an unknown tenant is refused with 404', async () => {
    const { id } = await addTenantRow(suite.app, 'Leaving');
    suite.app.services.activity.count(id, 'validations');
    const { platform } = suite.app.services;
    await platform.query.updateTable('tenants').set({ status: 'closed' }).where('id', '=', id).execute();
    expect((await metrics(`tenant_id=${id}`)).totals).toMatchObject({ validations: 1 });
    await platform.query.deleteFrom('tenants').where('id', '=', id).execute();
    expect(await metrics(`tenant_id=${id}`)).toMatchObject({
      tenants: { active: 0, suspended: 0, closed: 0 },
      mrr: [],
      totals: { validations: 1 },
    });
    const unknown = await send(`tenant_id=${newId()}`);
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'TENANT.NOT_FOUND']);
  });
});

test.each(['admin', 'billing_readonly', 'billing_admin'] as const)(
  'an admin with the role %s may read the metrics',
  async (role) => {
    expect((await send('', (await createAdmin(suite.app, role)).auth)).status).toBe(200);
  },
);
