import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Demo } from '../../src/commands/demo/demo-file.ts';
import { prepareDemo } from '../../src/commands/demo/prepare.ts';
import { createAdmin, freshAddress } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';

// One demo serves all tests, because they follow each other as a user would: create, use, remove.

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });
let demo: Demo;
let owner: { readonly authorization: string; readonly 'x-tenant-id': string };
let admin: { readonly authorization: string };

async function send(method: 'GET' | 'POST' | 'DELETE', url: string, headers: Record<string, string>, payload?: object) {
  const { status, body } = await suite.app.request({
    method,
    url: `/api/v1${url}`,
    headers,
    ...(payload && { payload }),
  });
  return { status, data: body.data, error: body.error };
}

async function listAll(url: string, headers: Record<string, string>) {
  // biome-ignore lint/suspicious/noExplicitAny: the rows of any list; the assertions check their shape.
  const rows: any[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await suite.app.request({ method: 'GET', url: `/api/v1${url}?limit=100${page}`, headers });
    rows.push(...answer.body.data);
    cursor = answer.body.meta.next_cursor;
  }
  return rows;
}

/** Issued by hand, and by the demo's shop. */
const licensesCount = 202 + 9;

const statuses = (rows: readonly { readonly status: string }[]) => new Set(rows.map(({ status }) => status));

beforeAll(async () => {
  const { services } = suite.app;
  const interrupted = new Error('the process died');
  let provisioned = 0;
  const provisioning: typeof services.provisioning = {
    ...services.provisioning,
    async provision(commit) {
      provisioned += 1;
      if (provisioned > 2) throw interrupted;
      return await services.provisioning.provision(commit);
    },
  };
  await expect(prepareDemo({ ...services, provisioning })).rejects.toBe(interrupted);
  demo = await prepareDemo(services);
  const login = await suite.app.request({
    method: 'POST',
    url: '/api/auth/login',
    remoteAddress: freshAddress(),
    payload: { ...demo.user, ability: 'tenant' },
  });
  owner = { authorization: `Bearer ${login.body.data.access_token}`, 'x-tenant-id': demo.tenant.id };
  admin = (await createAdmin(suite.app)).auth;
});

describe('the demo data', () => {
  test('an interrupted start is repeated: there is one vendor and a dozen other tenants, in every status', async () => {
    const tenants = await listAll('/admin/tenants', admin);
    const names: string[] = tenants.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('Demo: '))).toHaveLength(12);
    expect(names.filter((name) => !name.startsWith('Demo: '))).toEqual(['Demo Company']);
    expect(statuses(tenants)).toEqual(new Set(['active', 'suspended', 'closed']));
    const subscriptions = await listAll('/admin/subscriptions', admin);
    expect(statuses(subscriptions)).toEqual(new Set(['active', 'past_due', 'trialing']));
    const discounted = subscriptions.filter(({ discount }) => discount !== null);
    expect(discounted.map(({ discount }) => discount.coupon)).toEqual(['DEMO-LOYALTY25']);
    const coupons = await listAll('/admin/catalog/coupons', admin);
    expect(coupons.map(({ code, redemptions }) => [code, redemptions])).toEqual([
      ['DEMO-WELCOME10', 0],
      ['DEMO-LOYALTY25', 1],
    ]);
    expect(statuses(await listAll('/admin/invoices', admin))).toEqual(new Set(['paid', 'open']));
  });

  test('the vendor has five policies and licenses, activations, deliveries and notifications in every state', async () => {
    expect((await listAll('/tenant/policies', owner)).map(({ code }) => code).sort()).toEqual([
      'floating-seats',
      'metered',
      'pro-yearly',
      'standard',
      'trial-14-days',
    ]);
    const licenses = await listAll('/tenant/licenses', owner);
    expect(licenses).toHaveLength(licensesCount);
    expect(statuses(licenses)).toEqual(new Set(['active', 'pending', 'expired', 'suspended', 'revoked']));
    const ofCompany = licenses.filter(({ metadata }) => metadata.demo === true);
    expect(ofCompany).toHaveLength(202);
    const activations = statuses(await listAll('/tenant/activations', owner));
    expect(activations).toEqual(new Set(['active', 'deactivated', 'expired']));
    const deliveries = statuses(await listAll('/tenant/webhook-deliveries', owner));
    // Nobody answers at the addresses of the demo, so nothing is sent to them.
    expect(deliveries).toEqual(new Set(['succeeded', 'failed']));
    expect(statuses(await listAll('/tenant/webhooks', owner))).toEqual(new Set(['disabled']));
    const { data: usage } = await send('GET', '/tenant/usage?interval=month', owner);
    expect(new Set(usage.map((row: { entitlement: string }) => row.entitlement))).toEqual(
      new Set(['renders', 'api-calls']),
    );
    const members = await listAll('/tenant/members', owner);
    expect(new Set(members.map(({ role }) => role))).toEqual(new Set(['owner', 'admin', 'viewer']));
    const { data: metrics } = await send('GET', `/admin/metrics?tenant_id=${demo.tenant.id}`, admin);
    expect(metrics.totals.validations).toBeGreaterThan(1000);
  });

  test('the shop has sales in every state, one of which waits for an offer, and a test sale becomes a license', async () => {
    const [shop] = await listAll('/tenant/connections', owner);
    expect(shop).toMatchObject({ provider: 'custom', name: 'Demo shop', problems_count: 1 });
    const path = `/tenant/connections/${shop.id}`;
    const sales = await listAll(`${path}/sales`, owner);
    expect(new Set(sales.map(({ state }) => state))).toEqual(
      new Set(['active', 'past_due', 'ended', 'refunded', 'disputed']),
    );
    expect(sales.flatMap(({ problem }) => problem?.code ?? [])).toEqual(['unmapped']);
    const events = await listAll(`${path}/events`, owner);
    expect(new Set(events.map(({ state }) => state))).toEqual(new Set(['applied', 'nothing', 'failed']));
  });

  test('the product of the guides has releases of two channels and a draft, and one license permits only the older ones', async () => {
    const [product] = (await listAll('/tenant/products', owner)).filter(({ code }) => code === 'editor');
    const releases = await listAll(`/tenant/products/${product.id}/releases`, owner);
    const seen = releases.map(({ version, channel, status }) => [version, channel, status]);
    expect(seen).toEqual([
      ['2.1.0', 'stable', 'draft'],
      ['2.1.0-beta.1', 'beta', 'published'],
      ['2.0.0', 'stable', 'published'],
      ['1.4.0', 'stable', 'published'],
      ['1.0.0', 'stable', 'published'],
    ]);
    expect(releases.filter(({ downloads_count }) => downloads_count > 0)).toHaveLength(4);
    const held = await listAll('/tenant/licenses', owner);
    const ends = held
      .filter(({ holder }) => holder.email === 'holder@demo.example')
      .map(({ maintenance_expires_at }) => maintenance_expires_at);
    const { released_at } = releases[2];
    expect(ends.map((end) => end > released_at)).toEqual([true, false]);
  });

  test('the product of the guides has trials, which one key may start and nothing else', async () => {
    const [product] = (await listAll('/tenant/products', owner)).filter(({ code }) => code === 'editor');
    const trial = await send('GET', `/tenant/policies/${product.trial_policy_id}`, owner);
    expect(trial.data).toMatchObject({ code: 'trial-14-days', product_id: product.id });
    const keys = await listAll('/tenant/api-keys', owner);
    const start = ({ scopes }: { scopes: string[] }) => scopes.includes('trials:create');
    expect(keys.filter(start)).toMatchObject([{ scopes: ['trials:create'], status: 'active' }]);
    expect(demo.trialKey.slice(-4)).toBe(keys.find(start).hint.slice(-4));
  });

  test('the owner learns with the own tenants that the demo created one', async () => {
    const { data } = await send('GET', '/auth/me', owner);
    expect(data.tenants).toMatchObject([{ name: 'Demo Company', is_demo: true }]);
  });

  test('a second start creates nothing', async () => {
    expect(await prepareDemo(suite.app.services)).toEqual(demo);
    expect(await listAll('/admin/tenants', admin)).toHaveLength(13);
    expect(await listAll('/tenant/licenses', owner)).toHaveLength(licensesCount);
    expect(await listAll('/tenant/connections', owner)).toHaveLength(1);
  });

  test('the platform removes the demo tenants and no other; only a super_admin may', async () => {
    const created = await send('POST', '/admin/tenants', admin, { name: 'Demo: a real customer' });
    expect(created.status).toBe(201);
    const own = `/admin/tenants/${created.data.id}/demo-data`;
    expect((await send('DELETE', own, admin)).data).toEqual({ present: false });
    expect((await send('GET', '/tenant/demo-data', owner)).data).toEqual({ present: true });
    const lowly = (await createAdmin(suite.app, 'admin')).auth;
    expect(await send('DELETE', '/admin/demo-data', lowly)).toMatchObject({
      status: 403,
      error: { code: 'AUTH.ROLE_REQUIRED' },
    });
    expect((await send('GET', '/admin/demo-data', lowly)).data).toEqual({ present: true, tenants: 13 });

    const [northwind] = (await listAll('/admin/tenants', admin)).filter(({ name }) => name === 'Demo: Northwind Audio');
    expect(await send('DELETE', `/admin/tenants/${northwind.id}/demo-data`, admin)).toMatchObject({
      status: 200,
      data: { present: false },
    });
    expect(await send('DELETE', '/tenant/demo-data', owner)).toMatchObject({ status: 200, data: { present: false } });
    expect((await send('GET', '/admin/demo-data', lowly)).data).toEqual({ present: true, tenants: 11 });

    const removed = await send('DELETE', '/admin/demo-data', admin);
    expect(removed).toMatchObject({ status: 200, data: { present: false, tenants: 0 } });
    expect((await listAll('/admin/tenants', admin)).map(({ name }) => name)).toEqual(['Demo: a real customer']);
    for (const list of ['subscriptions', 'invoices', 'catalog/coupons']) {
      expect([list, await listAll(`/admin/${list}`, admin)]).toEqual([list, []]);
    }
    const plans = (await listAll('/admin/catalog/plans', admin)).map(({ code }) => code);
    expect(plans).not.toContain('demo-business');
    const people = (await listAll('/admin/users', admin)).map(({ email }) => email);
    expect(people).toEqual([demo.user.email]);
    const { data: metrics } = await send('GET', '/admin/metrics', admin);
    expect(metrics.totals).toMatchObject({ validations: 0, activations: 0, integration_requests: 0 });
    const revenue = suite.app.services.platform.query.selectFrom('revenue_days').selectAll();
    expect(await revenue.execute()).toEqual([]);
    expect(await send('GET', '/tenant/licenses', owner)).toMatchObject({ error: { code: 'TENANT.ACCESS_DENIED' } });
    expect(await send('DELETE', '/admin/demo-data', admin)).toMatchObject({ status: 200, data: { present: false } });
  });

  test('after its removal a start does not create it again', async () => {
    const again = await prepareDemo(suite.app.services);
    expect(again).toEqual({ ...demo, tenant: { id: demo.tenant.id, licenseKey: null }, portal: null });
    expect(await listAll('/admin/tenants', admin)).toHaveLength(1);
  });

  test('an installation that is in use gets one license and no sample data', async () => {
    await rm(join(suite.app.config.dataDir, 'demo.json'));
    const { tenant } = await prepareDemo(suite.app.services);
    expect(tenant.licenseKey).not.toBeNull();
    expect(await listAll('/admin/tenants', admin)).toHaveLength(2);
    expect((await send('GET', '/admin/demo-data', admin)).data).toMatchObject({ present: false });
  });
});
