import { describe, expect, test } from 'vitest';
import { createTenant, useTenantPerTest } from '../support/accounts.ts';
import { accountId, keygenId, keygenToken, resource } from '../support/fake-keygen.ts';
import { newLicense, newMachine, newPolicy, policyId, productId, userId } from '../support/keygen-account.ts';
import { type Line, reportOf, useKeygen } from './keygen-suite.ts';
import { licensing } from './licensing.ts';

const suite = useTenantPerTest();
const account = useKeygen(suite);

/** The rows of the tenant that an import can change, without ids and times. */
async function stateOfTenant(): Promise<Line> {
  const tables = ['products', 'policies', 'entitlements', 'licenses', 'activations', 'audit_logs', 'plan_use'] as const;
  const { tenants } = suite.app.services;
  return await tenants.readTenantDb(suite.tenant.id, async (db) => {
    const counts = tables.map(async (table) => [table, await db.query.selectFrom(table).selectAll().execute()]);
    return Object.fromEntries(await Promise.all(counts));
  });
}

test('an account is imported with keys, holders, dates, limits and machines, and the key validates', async () => {
  expect(await account.imported()).toEqual([]);
  const [product] = await account.list('/products');
  const [policy] = await account.list('/policies');
  expect(product).toMatchObject({ code: 'editor', name: 'Editor', platforms: ['linux'] });
  expect(policy).toMatchObject({ product_id: product?.['id'], code: 'yearly', duration_days: 365, max_activations: 3 });
  const licenses = await account.list('/licenses');
  expect(licenses).toHaveLength(2);
  expect(licenses.find(({ key }) => key === 'KEY-00000001')).toMatchObject({
    policy_id: policy?.['id'],
    status: 'active',
    holder: { name: 'Ada Lovelace', email: 'ada@example.com', reference: userId },
    starts_at: '2024-01-02T03:04:05.678000Z',
    created_at: '2024-01-02T03:04:05.678000Z',
    expires_at: '2030-01-02T03:04:05.678000Z',
    max_activations: null,
    activations_count: 1,
  });
  const verdict = await suite.tenant.asApplication('/licenses/KEY-00000001/validate', { fingerprint: 'fp-1' });
  expect(verdict.body.data).toMatchObject({ valid: true, activation: { hostname: 'host-1', ip: '192.0.2.1' } });
  const audits = await suite.tenant.asOwner('GET', '/audit-logs?limit=100');
  const created = audits.body.data.filter(({ event }: Line) => event === 'LICENSE.CREATED');
  expect(created).toHaveLength(2);
  expect(created[0]).toMatchObject({ actor_type: 'system', actor_id: null });
  const found = await suite.tenant.asOwner('GET', '/licenses?q=lovelace');
  expect(found.body.data).toHaveLength(2);
});

test('entitlements of policies and licenses are granted, and those of the policy are not repeated', async () => {
  const [one, two] = ['EXPORT', 'CLOUD'].map((code, index) =>
    resource('entitlements', keygenId(6, index + 1), { code, name: code }),
  );
  if (one === undefined || two === undefined) throw new Error('The entitlements are missing.');
  account.keygen.collections.set('entitlements', [one, two]);
  account.keygen.collections.set(`policies/${policyId}/entitlements`, [one]);
  account.keygen.collections.set(`licenses/${keygenId(4, 1)}/entitlements`, [one, two]);
  account.keygen.collections.set(`licenses/${keygenId(4, 2)}/entitlements`, [one]);
  expect(await account.imported()).toEqual([]);
  expect((await account.list('/policies'))[0]?.['entitlements']).toEqual([{ code: 'EXPORT' }]);
  const ofLicense = new Map((await account.list('/licenses')).map(({ key, entitlements }) => [key, entitlements]));
  expect(ofLicense.get('KEY-00000001')).toEqual([{ code: 'CLOUD' }]);
  expect(ofLicense.get('KEY-00000002')).toEqual([]);
  const check = { entitlements: ['EXPORT', 'CLOUD'] };
  const answer = await suite.tenant.asApplication('/licenses/KEY-00000001/entitlements/check', check);
  expect(answer.body.data.entitlements.map(({ has_access }: Line) => has_access)).toEqual([true, true]);
  expect(await account.imported()).toEqual([]);
});

test('a dry run prints the report of the import and writes nothing', async () => {
  account.keygen.collections.set('licenses', [
    ...[1, 2, 3].map((number) => newLicense(number)),
    newLicense(4, { key: 'KEY-00000001' }),
    newLicense(5, { key: 'not legal', uses: 3 }),
    newLicense(6, { uses: 3, maxMachines: 1 }),
  ]);
  const machines = [newMachine(1, 6), newMachine(2, 6), newMachine(3, 5), newMachine(4, 1), newMachine(4, 1)];
  account.keygen.collections.set('machines', [...machines, newMachine(5, 1, { fingerprint: 'fp-4' })]);
  const before = await stateOfTenant();
  const dry = await account.importing('--dry-run');
  expect(await stateOfTenant()).toEqual(before);
  const real = await account.importing();
  expect(dry.stdout).toBe(real.stdout);
  expect(dry.stderr.replace('This was a dry run: nothing was written.', 'The import is complete.')).toBe(real.stderr);
  expect(reportOf(real).map(({ resource: kind, field, outcome }) => `${kind} ${field} ${outcome}`)).toEqual([
    'licenses key refused',
    'licenses key refused',
    'licenses uses left_out',
    'machines license refused',
    'machines undefined refused',
    'machines fingerprint refused',
  ]);
  expect(await account.list('/licenses')).toHaveLength(4);
  expect(await account.list('/activations')).toHaveLength(2);
});

describe('a repeated import', () => {
  test('changes nothing when nothing changed', async () => {
    await account.imported();
    const before = await stateOfTenant();
    const again = await account.importing();
    expect(await stateOfTenant()).toEqual(before);
    expect(again.stderr).toContain('licenses: 2 unchanged');
  });

  test('updates what changed in Keygen, with an audit record, and creates what is new', async () => {
    await account.imported();
    account.keygen.collections.set('licenses', [
      newLicense(1, { suspended: true, maxMachines: 9 }),
      newLicense(2),
      newLicense(3),
    ]);
    account.keygen.collections.set('policies', [newPolicy({ maxMachines: 5 })]);
    account.keygen.collections.set('machines', [newMachine(1, 1, { name: 'Desk' }), newMachine(2, 2)]);
    const { stderr } = await account.importing();
    expect(stderr).toContain('policies: 1 updated');
    expect(stderr).toContain('licenses: 1 created, 2 updated');
    expect(stderr).toContain('machines: 1 updated, 1 unchanged');
    const licenses = await account.list('/licenses');
    expect(licenses).toHaveLength(3);
    expect(licenses.find(({ key }) => key === 'KEY-00000001')).toMatchObject({
      status: 'suspended',
      max_activations: 9,
    });
    const audits = (await suite.tenant.asOwner('GET', '/audit-logs?limit=100')).body.data;
    expect(audits.filter(({ event }: Line) => event === 'LICENSE.UPDATED')).toHaveLength(2);
  });

  test('keeps and reports what changed on both sides, and takes the state of Keygen with --overwrite', async () => {
    await account.imported();
    const ours = (await account.list('/licenses')).find(({ key }) => key === 'KEY-00000001');
    await suite.tenant.asOwner('PUT', `/licenses/${ours?.['id']}`, { max_activations: 50 });
    expect(await account.imported()).toEqual([]);
    account.keygen.collections.set('licenses', [newLicense(1, { maxMachines: 9 }), newLicense(2)]);
    expect(await account.imported()).toMatchObject([{ resource: 'licenses', id: keygenId(4, 1), outcome: 'conflict' }]);
    const limit = async () =>
      (await suite.tenant.asOwner('GET', `/licenses/${ours?.['id']}`)).body.data.max_activations;
    expect(await limit()).toBe(50);
    expect(await account.imported('--overwrite')).toEqual([]);
    expect(await limit()).toBe(9);
  });

  test('does not bring back what was deleted or revoked here, and keeps what was deleted in Keygen', async () => {
    await account.imported();
    const idOf = async (wanted: string) => (await account.list('/licenses')).find(({ key }) => key === wanted)?.['id'];
    await suite.tenant.asOwner('DELETE', `/licenses/${await idOf('KEY-00000001')}`);
    const second = await idOf('KEY-00000002');
    await suite.tenant.asOwner('POST', `/licenses/${second}/revoke`, {});
    account.keygen.collections.set('licenses', [newLicense(1), newLicense(2, { maxMachines: 4 })]);
    account.keygen.collections.set('machines', []);
    const report = await account.imported('--overwrite');
    expect(report.map(({ resource: kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'licenses conflict',
      'licenses conflict',
      'machines missing',
      'machines missing',
    ]);
    expect((await account.list('/licenses')).map(({ status }) => status)).toEqual(['revoked']);
  });
});

test('an import does not exceed the limit of a license, which includes its overage', async () => {
  account.keygen.collections.set('policies', [newPolicy({ overageStrategy: 'ALLOW_1_5X_OVERAGE', maxMachines: 2 })]);
  account.keygen.collections.set('licenses', [newLicense(1, { maxMachines: 2 })]);
  account.keygen.collections.set(
    'machines',
    [1, 2, 3, 4, 5].map((number) => newMachine(number, 1)),
  );
  const report = await account.imported();
  expect(report.map(({ id }) => id)).toEqual([keygenId(5, 4), keygenId(5, 5)]);
  expect((await account.list('/licenses'))[0]).toMatchObject({ activations_count: 3 });
});

test("an import keeps the tenant's plan: what exceeds it is refused and reported, in a dry run too", async () => {
  const limits = { licenses: 1, activations: 1 };
  const changed = await suite.app.request({
    method: 'PATCH',
    url: `/api/v1/admin/tenants/${suite.tenant.id}`,
    headers: suite.admin.auth,
    payload: { limits },
  });
  expect(changed.status).toBe(200);
  const dry = await account.importing('--dry-run');
  const real = await account.importing();
  expect(dry.stdout).toBe(real.stdout);
  expect(reportOf(real)).toMatchObject([
    { resource: 'licenses', id: keygenId(4, 2), outcome: 'refused' },
    { resource: 'machines', id: keygenId(5, 2), field: 'license', outcome: 'refused' },
  ]);
  expect(await account.list('/licenses')).toHaveLength(1);
});

test('an import publishes no events for history unless --events asks for them', async () => {
  await suite.tenant.asOwner('POST', '/webhooks', {
    url: 'https://hooks.example.com/import',
    events: ['webhook.disabled'],
  });
  const events = () =>
    suite.app.services.tenants.readTenantDb(suite.tenant.id, (db) =>
      db.query.selectFrom('events').select('type').execute(),
    );
  const oldest = { expiry: '2024-06-01T00:00:00.000Z' };
  account.keygen.collections.set('licenses', [newLicense(1, oldest), newLicense(2)]);
  await account.imported();
  expect(await events()).toEqual([]);
  account.keygen.collections.set('licenses', [newLicense(1, oldest), newLicense(2, { maxMachines: 8 }), newLicense(3)]);
  await account.imported('--events');
  expect((await events()).map(({ type }) => type).sort()).toEqual(['license.created', 'license.updated']);
});

test('two tenants import the same account, each for itself', async () => {
  await account.imported();
  const other = await createTenant(suite.app, suite.admin, 'Other');
  const args = ['import', 'keygen', '--url', account.keygen.url, '--account', accountId, '--tenant', other.id];
  const { code } = await licensing(args, { ...suite.app.site.env, KEYGEN_TOKEN: keygenToken });
  expect(code).toBe(0);
  expect((await other.asOwner('GET', '/licenses')).body.data).toHaveLength(2);
});

test('codes that are taken by other products and policies get a number', async () => {
  await suite.tenant.asOwner('POST', '/products', { code: 'editor', name: 'Ours' });
  account.keygen.collections.set('policies', [newPolicy(), newPolicy({ name: 'YEARLY!' }, keygenId(2, 2))]);
  expect(await account.imported()).toMatchObject([
    { resource: 'products', id: productId, field: 'code', outcome: 'adjusted' },
  ]);
  expect((await account.list('/products')).map(({ code }) => code).sort()).toEqual(['editor', 'editor-2']);
  expect((await account.list('/policies')).map(({ code }) => code).sort()).toEqual(['yearly', 'yearly-2']);
});
