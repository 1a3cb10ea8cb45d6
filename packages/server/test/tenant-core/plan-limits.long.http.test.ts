import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { readPlanUse, recountUse } from '../../src/features/tenant-core/plan-limits/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { newEmail } from '../accounts/members.ts';
import { csv, sendFile } from '../licensing/license-files.ts';
import { createUser, freshAddress, type TestTenant, useAdmin } from '../support/accounts.ts';
import { type Answer, engine, startApp, stopApp, type TestApp } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';
import { mailedToken } from '../support/mails.ts';

const suite = useAdmin({ LOG_LEVEL: 'warn' });
let nodes: TestApp[] = [];

beforeAll(async () => {
  nodes = [suite.app];
  if (engine === 'postgres') nodes.push(await startApp(suite.app.site, { LOG_LEVEL: 'warn' }));
});

afterAll(async () => {
  for (const node of nodes.slice(1)) await stopApp(node);
});

type Resource = 'products' | 'licenses' | 'activations' | 'api_keys' | 'webhooks' | 'members';

interface LimitFixture {
  readonly tenant: TestTenant;
  readonly policyId: string;
  readonly licenseKey: string;
}

let sent = 0;

/** Sends each request to the next node, round robin. */
function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, headers: object, payload?: object) {
  sent += 1;
  const node = nodes[sent % nodes.length] ?? suite.app;
  return node.request({ method, url, headers: { ...headers }, ...(payload && { payload }) });
}

const asOwner = ({ tenant }: LimitFixture, method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) =>
  send(method, `/api/v1/tenant${path}`, tenant.owner.auth, payload);

const activate = ({ tenant, licenseKey }: LimitFixture, fingerprint: string) =>
  send(
    'POST',
    `/api/v1/integration/licenses/${licenseKey}/activations`,
    { 'x-api-key': tenant.apiKey },
    { fingerprint },
  );

/** How to create and delete each resource. A new tenant has one product, license, API key and owner. */
const resources: Readonly<
  Record<
    Resource,
    {
      readonly path: string;
      readonly initialCount: number;
      readonly create: (fixture: LimitFixture) => Promise<Answer>;
    }
  >
> = {
  products: {
    path: '/products',
    initialCount: 1,
    create: (fixture) => asOwner(fixture, 'POST', '/products', { code: newId(), name: 'Editor' }),
  },
  licenses: {
    path: '/licenses',
    initialCount: 1,
    create: (fixture) => asOwner(fixture, 'POST', '/licenses', { policy_id: fixture.policyId }),
  },
  activations: { path: '/activations', initialCount: 0, create: (fixture) => activate(fixture, newId()) },
  api_keys: {
    path: '/api-keys',
    initialCount: 1,
    create: (fixture) => asOwner(fixture, 'POST', '/api-keys', { name: 'Key' }),
  },
  webhooks: {
    path: '/webhooks',
    initialCount: 0,
    create: (fixture) =>
      asOwner(fixture, 'POST', '/webhooks', { url: 'https://hooks.example.com/in', events: ['webhook.disabled'] }),
  },
  members: {
    path: '/members',
    initialCount: 1,
    create: (fixture) => asOwner(fixture, 'POST', '/members', { email: newEmail(), role: 'viewer' }),
  },
};
const names = Object.keys(resources) as Resource[];

async function newFixture(policy: object = {}): Promise<LimitFixture> {
  const tenant = await suite.newTenant();
  const policyId = (await newPolicy(tenant, { ...policy })).id;
  const { key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: policyId }));
  return { tenant, policyId, licenseKey: key };
}

async function limit({ tenant }: LimitFixture, limits: Partial<Record<Resource, number | null>>): Promise<void> {
  const answer = await send('PATCH', `/api/v1/admin/tenants/${tenant.id}`, suite.admin.auth, { limits });
  expect(answer.status).toBe(200);
}

const useOf = ({ tenant }: LimitFixture) =>
  suite.app.services.tenants.withTenantDb(tenant.id, (db) => readPlanUse(suite.app.services, { id: tenant.id, db }));

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const outcomeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? 'ok'}`;
const refusal = '403 PLAN.LIMIT_REACHED';

/** Counts how often each outcome occurred. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of answers.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

async function notices(fixture: LimitFixture): Promise<string[]> {
  const { body } = await asOwner(fixture, 'GET', '/notifications?limit=100');
  const isOfPlan = ({ type }: { type: string }) => type.startsWith('plan.');
  return body.data.filter(isOfPlan).map(({ type, title }: { type: string; title: string }) => `${type}: ${title}`);
}

describe.each(names)('the limit of %s', (resource) => {
  const { create, path, initialCount } = resources[resource];

  test(`the limit of ${resource} refuses one more, admits one after a deletion and removes none`, async () => {
    const fixture = await newFixture();
    await limit(fixture, { [resource]: initialCount + 2 });
    const first = created(await create(fixture));
    created(await create(fixture));
    expect(outcomeOf(await create(fixture))).toBe(refusal);
    expect((await useOf(fixture))[resource]).toBe(initialCount + 2);
    expect((await asOwner(fixture, 'DELETE', `${path}/${first.id}`)).status).toBe(200);
    created(await create(fixture));
    await limit(fixture, { [resource]: 0 });
    expect(outcomeOf(await create(fixture))).toBe(refusal);
    expect((await useOf(fixture))[resource]).toBe(initialCount + 2);
    await limit(fixture, { [resource]: null });
    created(await create(fixture));
    expect((await useOf(fixture))[resource]).toBe(initialCount + 3);
  });

  test(`the limit of ${resource} admits exactly one of twenty concurrent requests when one is left`, async () => {
    const fixture = await newFixture();
    for (let allowed = initialCount + 1; allowed <= initialCount + 3; allowed += 1) {
      await limit(fixture, { [resource]: allowed });
      const answers = await times(20, () => create(fixture));
      expect(tally(answers)).toEqual({ '201 ok': 1, [refusal]: 19 });
      expect((await useOf(fixture))[resource]).toBe(allowed);
    }
  });

  test(`reaching 80 % and 100 % of the limit of ${resource} creates one notification each`, async () => {
    const fixture = await newFixture();
    await limit(fixture, { [resource]: initialCount + 5 });
    const createdRows: { id: string }[] = [];
    for (let count = 0; count < 5; count += 1) createdRows.push(created(await create(fixture)));
    await create(fixture);
    await asOwner(fixture, 'DELETE', `${path}/${createdRows[0]?.id}`);
    created(await create(fixture));
    expect((await notices(fixture)).sort()).toEqual([
      expect.stringMatching(/^plan\.limit_near: /),
      expect.stringMatching(/^plan\.limit_reached: /),
    ]);
  });
});

test('a limit also applies to resources that an admin creates for the tenant', async () => {
  const fixture = await newFixture();
  await limit(fixture, { licenses: 1, api_keys: 1, webhooks: 0 });
  const asAdmin = (path: string, payload: object) =>
    send('POST', `/api/v1/admin/tenants/${fixture.tenant.id}${path}`, suite.admin.auth, payload);
  const answers = [
    await asAdmin('/licenses', { policy_id: fixture.policyId }),
    await asAdmin('/api-keys', { name: 'Key' }),
    await asAdmin('/webhooks', { url: 'https://hooks.example.com/in' }),
  ];
  expect(tally(answers)).toEqual({ [refusal]: 3 });
});

test('at the plan limit one API key can be replaced at a time, however many requests arrive together', async () => {
  const fixture = await newFixture();
  await limit(fixture, { api_keys: 1 });
  const replace = () =>
    asOwner(fixture, 'POST', `/api-keys/${fixture.tenant.apiKeyId}/rotate`, { overlap_seconds: 3600 });
  const answers = await times(8, replace);
  expect(tally(answers)).toEqual({ '201 ok': 1, [refusal]: 7 });
  expect((await notices(fixture)).length).toBe(0);
});

describe('imports', () => {
  const file = (fixture: LimitFixture, rows: number) =>
    csv('policy_id', ...Array.from({ length: rows }, () => fixture.policyId));

  test('an import beyond the plan limit creates no license, and one within it creates all', async () => {
    const fixture = await newFixture();
    await limit(fixture, { licenses: 11 });
    expect(outcomeOf(await sendFile(suite.app, fixture.tenant, file(fixture, 11)))).toBe(refusal);
    expect((await useOf(fixture)).licenses).toBe(1);
    expect((await sendFile(suite.app, fixture.tenant, file(fixture, 10))).body.data.created).toBe(10);
    expect((await useOf(fixture)).licenses).toBe(11);
  });

  test('a partial import creates as many licenses as the plan allows and reports the other rows', async () => {
    const fixture = await newFixture();
    await limit(fixture, { licenses: 601 });
    const { body } = await sendFile(suite.app, fixture.tenant, file(fixture, 603), { query: '?partial=true' });
    expect(body.data).toMatchObject({ created: 600, failed: 3 });
    expect(body.data.errors.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
      [601, 'licenses'],
      [602, 'licenses'],
      [603, 'licenses'],
    ]);
  });

  test('concurrent imports and creations stay within the plan limit', async () => {
    const fixture = await newFixture();
    await limit(fixture, { licenses: 26 });
    const query = (index: number) => ({ query: index % 2 === 0 ? '' : '?partial=true' });
    const node = (index: number) => nodes[index % nodes.length] ?? suite.app;
    const [files, singles] = await Promise.all([
      times(8, (index) => sendFile(node(index >> 1), fixture.tenant, file(fixture, 10), query(index))),
      times(20, () => resources.licenses.create(fixture)),
    ]);
    const imported = files.reduce((sum, { body }) => sum + (body.data?.created ?? 0), 0);
    const single = singles.filter(({ status }) => status === 201).length;
    expect(imported + single).toBe(25);
    expect((await useOf(fixture)).licenses).toBe(26);
  });
});

describe('activations', () => {
  test('a repeated activation uses no quota, and a deleted license releases the quota of its activations', async () => {
    const fixture = await newFixture({ max_activations: null });
    await limit(fixture, { activations: 3 });
    const devices = [newId(), newId(), newId()];
    for (const device of devices) created(await activate(fixture, device));
    expect((await activate(fixture, devices[0] ?? '')).status).toBe(200);
    expect(outcomeOf(await activate(fixture, newId()))).toBe(refusal);
    const { body } = await asOwner(fixture, 'GET', '/licenses');
    expect((await asOwner(fixture, 'DELETE', `/licenses/${body.data[0].id}`)).status).toBe(200);
    expect(await useOf(fixture)).toMatchObject({ activations: 0, licenses: 0 });
  });

  test('an expired lease releases its quota at once, whether closed or not', async () => {
    const fixture = await newFixture({ lease_seconds: 86_400 });
    await limit(fixture, { activations: 2 });
    const device = newId();
    created(await activate(fixture, device));
    created(await activate(fixture, newId()));
    expect(outcomeOf(await activate(fixture, newId()))).toBe(refusal);
    await suite.app.services.tenants.withTenantDb(fixture.tenant.id, (db) =>
      db.query
        .updateTable('activations')
        .set({ lease_expires_at: suite.app.services.clock.now() })
        .where('fingerprint', '=', device)
        .execute(),
    );
    expect((await useOf(fixture)).activations).toBe(1);
    expect(tally(await times(20, () => activate(fixture, newId())))).toEqual({ '201 ok': 1, [refusal]: 19 });
    expect(outcomeOf(await activate(fixture, device))).toBe(refusal);
    await createBackgroundJobs(suite.app.services).runner.runDue();
    expect((await useOf(fixture)).activations).toBe(2);
  });
});

describe('members', () => {
  const accept = async (email: string) => {
    const token = await mailedToken(suite.app, email);
    const payload = { token, name: 'Ada', password: 'correct horse battery staple' };
    const url = '/api/v1/auth/accept-invitation';
    return suite.app.request({ method: 'POST', url, remoteAddress: freshAddress(), payload });
  };

  test('an invited member uses quota, can be invited again and can accept', async () => {
    const fixture = await newFixture();
    await limit(fixture, { members: 2 });
    const email = newEmail();
    const invite = () => asOwner(fixture, 'POST', '/members', { email, role: 'viewer' });
    expect([(await invite()).status, (await invite()).status]).toEqual([201, 201]);
    expect(outcomeOf(await resources.members.create(fixture))).toBe(refusal);
    expect((await accept(email)).status).toBe(200);
    expect((await useOf(fixture)).members).toBe(2);
  });

  test('a member with an account uses quota, and an existing member is reported before the limit', async () => {
    const fixture = await newFixture();
    await limit(fixture, { members: 1 });
    const { email } = await createUser(suite.app);
    const add = (address: string) => asOwner(fixture, 'POST', '/members', { email: address, role: 'admin' });
    expect(outcomeOf(await add(email))).toBe(refusal);
    expect(outcomeOf(await add(fixture.tenant.owner.email))).toBe('409 MEMBER.ALREADY_ADDED');
  });

  test('an invitation cannot be accepted while the tenant has more members than a lowered limit', async () => {
    const fixture = await newFixture();
    const email = newEmail();
    created(await asOwner(fixture, 'POST', '/members', { email, role: 'viewer' }));
    await limit(fixture, { members: 1 });
    expect(outcomeOf(await accept(email))).toBe(refusal);
    await limit(fixture, { members: 2 });
    expect((await accept(email)).status).toBe(200);
  });
});

test('a recount corrects wrong counters and leaves correct ones unchanged', async () => {
  const fixture = await newFixture();
  created(await resources.products.create(fixture));
  created(await resources.webhooks.create(fixture));
  created(await activate(fixture, newId()));
  await suite.app.services.tenants.withTenantDb(fixture.tenant.id, async (db) => {
    const before = await useOf(fixture);
    expect(await recountUse(db)).toEqual([]);
    await db.query
      .updateTable('plan_use')
      .set({ used: 17 })
      .where('resource', 'in', ['licenses', 'webhooks'])
      .execute();
    expect((await recountUse(db)).sort()).toEqual(['licenses', 'webhooks']);
    expect(await useOf(fixture)).toEqual(before);
  });
});
