import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTenantJobs } from '../../src/background.ts';
import { readPlanUse, recountUse } from '../../src/features/tenant-core/plan-limits/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { newEmail } from '../accounts/members.ts';
import { csv, sendFile } from '../licensing/license-files.ts';
import {
  type Account,
  createAdmin,
  createTenant,
  createUser,
  freshAddress,
  type TestTenant,
} from '../support/accounts.ts';
import { type Answer, engine, startApp, stopApp, type TestApp, useApp } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';
import { mailedToken } from '../support/mails.ts';

const suite = useApp({ LOG_LEVEL: 'warn' });
let nodes: TestApp[] = [];
let admin: Account;

beforeAll(async () => {
  nodes = [suite.app];
  if (engine === 'postgres') nodes.push(await startApp(suite.app.site, { LOG_LEVEL: 'warn' }));
  admin = await createAdmin(suite.app);
});

afterAll(async () => {
  for (const node of nodes.slice(1)) await stopApp(node);
});

type Resource = 'products' | 'licenses' | 'activations' | 'api_keys' | 'webhooks' | 'members';

interface Stage {
  readonly tenant: TestTenant;
  readonly policyId: string;
  readonly licenseKey: string;
}

let sent = 0;

/** Sends to the nodes in turn. */
function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, headers: object, payload?: object) {
  sent += 1;
  const node = nodes[sent % nodes.length] ?? suite.app;
  return node.request({ method, url, headers: { ...headers }, ...(payload && { payload }) });
}

const asOwner = ({ tenant }: Stage, method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) =>
  send(method, `/api/v1/tenant${path}`, tenant.owner.auth, payload);

const activate = ({ tenant, licenseKey }: Stage, fingerprint: string) =>
  send(
    'POST',
    `/api/v1/integration/licenses/${licenseKey}/activations`,
    { 'x-api-key': tenant.apiKey },
    { fingerprint },
  );

/** How one more of each is made and removed. A tenant begins with a product, a license, an API key and an owner. */
const resources: Readonly<
  Record<
    Resource,
    { readonly path: string; readonly atFirst: number; readonly make: (stage: Stage) => Promise<Answer> }
  >
> = {
  products: {
    path: '/products',
    atFirst: 1,
    make: (stage) => asOwner(stage, 'POST', '/products', { code: newId(), name: 'Editor' }),
  },
  licenses: {
    path: '/licenses',
    atFirst: 1,
    make: (stage) => asOwner(stage, 'POST', '/licenses', { policy_id: stage.policyId }),
  },
  activations: { path: '/activations', atFirst: 0, make: (stage) => activate(stage, newId()) },
  api_keys: { path: '/api-keys', atFirst: 1, make: (stage) => asOwner(stage, 'POST', '/api-keys', { name: 'Key' }) },
  webhooks: {
    path: '/webhooks',
    atFirst: 0,
    make: (stage) =>
      asOwner(stage, 'POST', '/webhooks', { url: 'https://hooks.example.com/in', events: ['webhook.disabled'] }),
  },
  members: {
    path: '/members',
    atFirst: 1,
    make: (stage) => asOwner(stage, 'POST', '/members', { email: newEmail(), role: 'viewer' }),
  },
};
const names = Object.keys(resources) as Resource[];

async function newStage(policy: object = {}): Promise<Stage> {
  const tenant = await createTenant(suite.app, admin);
  const policyId = (await newPolicy(tenant, { ...policy })).id;
  const { key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: policyId }));
  return { tenant, policyId, licenseKey: key };
}

async function limit({ tenant }: Stage, limits: Partial<Record<Resource, number | null>>): Promise<void> {
  const answer = await send('PATCH', `/api/v1/admin/tenants/${tenant.id}`, admin.auth, { limits });
  expect(answer.status).toBe(200);
}

const useOf = ({ tenant }: Stage) =>
  suite.app.services.tenants.withTenantDb(tenant.id, (db) => readPlanUse(suite.app.services, { id: tenant.id, db }));

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const outcomeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? 'ok'}`;
const refusal = '403 PLAN.LIMIT_REACHED';

/** How often each outcome came. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of answers.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

async function notices(stage: Stage): Promise<string[]> {
  const { body } = await asOwner(stage, 'GET', '/notifications?limit=100');
  const isOfPlan = ({ type }: { type: string }) => type.startsWith('plan.');
  return body.data.filter(isOfPlan).map(({ type, title }: { type: string; title: string }) => `${type}: ${title}`);
}

describe.each(names)('the limit of %s', (resource) => {
  const { make, path, atFirst } = resources[resource];

  test('refuses one more, lets another in when one is gone, and leaves what a lower limit is below of', async () => {
    const stage = await newStage();
    await limit(stage, { [resource]: atFirst + 2 });
    const first = created(await make(stage));
    created(await make(stage));
    expect(outcomeOf(await make(stage))).toBe(refusal);
    expect((await useOf(stage))[resource]).toBe(atFirst + 2);
    expect((await asOwner(stage, 'DELETE', `${path}/${first.id}`)).status).toBe(200);
    created(await make(stage));
    await limit(stage, { [resource]: 0 });
    expect(outcomeOf(await make(stage))).toBe(refusal);
    expect((await useOf(stage))[resource]).toBe(atFirst + 2);
    await limit(stage, { [resource]: null });
    created(await make(stage));
    expect((await useOf(stage))[resource]).toBe(atFirst + 3);
  });

  test('admits exactly one of twenty at once when there is room for one', async () => {
    const stage = await newStage();
    for (let room = atFirst + 1; room <= atFirst + 3; room += 1) {
      await limit(stage, { [resource]: room });
      const answers = await times(20, () => make(stage));
      expect(tally(answers)).toEqual({ '201 ok': 1, [refusal]: 19 });
      expect((await useOf(stage))[resource]).toBe(room);
    }
  });

  test('is told of once when 80 % and 100 % of it are reached', async () => {
    const stage = await newStage();
    await limit(stage, { [resource]: atFirst + 5 });
    const made: { id: string }[] = [];
    for (let count = 0; count < 5; count += 1) made.push(created(await make(stage)));
    await make(stage);
    await asOwner(stage, 'DELETE', `${path}/${made[0]?.id}`);
    created(await make(stage));
    expect((await notices(stage)).sort()).toEqual([
      expect.stringMatching(/^plan\.limit_near: /),
      expect.stringMatching(/^plan\.limit_reached: /),
    ]);
  });
});

test('a limit holds for what an admin makes for the tenant', async () => {
  const stage = await newStage();
  await limit(stage, { licenses: 1, api_keys: 1, webhooks: 0 });
  const asAdmin = (path: string, payload: object) =>
    send('POST', `/api/v1/admin/tenants/${stage.tenant.id}${path}`, admin.auth, payload);
  const answers = [
    await asAdmin('/licenses', { policy_id: stage.policyId }),
    await asAdmin('/api-keys', { name: 'Key' }),
    await asAdmin('/webhooks', { url: 'https://hooks.example.com/in' }),
  ];
  expect(tally(answers)).toEqual({ [refusal]: 3 });
});

describe('an import', () => {
  const file = (stage: Stage, rows: number) => csv('policy_id', ...Array.from({ length: rows }, () => stage.policyId));

  test('of more licenses than the plan allows makes none, and of as many makes all', async () => {
    const stage = await newStage();
    await limit(stage, { licenses: 11 });
    expect(outcomeOf(await sendFile(suite.app, stage.tenant, file(stage, 11)))).toBe(refusal);
    expect((await useOf(stage)).licenses).toBe(1);
    expect((await sendFile(suite.app, stage.tenant, file(stage, 10))).body.data.created).toBe(10);
    expect((await useOf(stage)).licenses).toBe(11);
  });

  test('that is partial makes what the plan allows and names the rows that it does not', async () => {
    const stage = await newStage();
    await limit(stage, { licenses: 601 });
    const { body } = await sendFile(suite.app, stage.tenant, file(stage, 603), { query: '?partial=true' });
    expect(body.data).toMatchObject({ created: 600, failed: 3 });
    expect(body.data.errors.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
      [601, 'licenses'],
      [602, 'licenses'],
      [603, 'licenses'],
    ]);
  });

  test('beside others makes no more than the plan allows', async () => {
    const stage = await newStage();
    await limit(stage, { licenses: 26 });
    const query = (index: number) => ({ query: index % 2 === 0 ? '' : '?partial=true' });
    const node = (index: number) => nodes[index % nodes.length] ?? suite.app;
    const [files, singles] = await Promise.all([
      times(8, (index) => sendFile(node(index >> 1), stage.tenant, file(stage, 10), query(index))),
      times(20, () => resources.licenses.make(stage)),
    ]);
    const imported = files.reduce((sum, { body }) => sum + (body.data?.created ?? 0), 0);
    const single = singles.filter(({ status }) => status === 201).length;
    expect(imported + single).toBe(25);
    expect((await useOf(stage)).licenses).toBe(26);
  });
});

describe('activations', () => {
  test('of a fingerprint that is active already need no room, and a deleted license gives back all it held', async () => {
    const stage = await newStage({ max_activations: null });
    await limit(stage, { activations: 3 });
    const devices = [newId(), newId(), newId()];
    for (const device of devices) created(await activate(stage, device));
    expect((await activate(stage, devices[0] ?? '')).status).toBe(200);
    expect(outcomeOf(await activate(stage, newId()))).toBe(refusal);
    const { body } = await asOwner(stage, 'GET', '/licenses');
    expect((await asOwner(stage, 'DELETE', `/licenses/${body.data[0].id}`)).status).toBe(200);
    expect(await useOf(stage)).toMatchObject({ activations: 0, licenses: 0 });
  });

  test('whose lease has run out leave their room at once, closed or not', async () => {
    const stage = await newStage({ lease_seconds: 86_400 });
    await limit(stage, { activations: 2 });
    const device = newId();
    created(await activate(stage, device));
    created(await activate(stage, newId()));
    expect(outcomeOf(await activate(stage, newId()))).toBe(refusal);
    await suite.app.services.tenants.withTenantDb(stage.tenant.id, (db) =>
      db.query
        .updateTable('activations')
        .set({ lease_expires_at: suite.app.services.clock.now() })
        .where('fingerprint', '=', device)
        .execute(),
    );
    expect((await useOf(stage)).activations).toBe(1);
    expect(tally(await times(20, () => activate(stage, newId())))).toEqual({ '201 ok': 1, [refusal]: 19 });
    expect(outcomeOf(await activate(stage, device))).toBe(refusal);
    await createTenantJobs(suite.app.services).runner.runDue();
    expect((await useOf(stage)).activations).toBe(2);
  });
});

describe('members', () => {
  const accept = async (email: string) => {
    const token = await mailedToken(suite.app, email);
    const payload = { token, name: 'Ada', password: 'correct horse battery staple' };
    const url = '/api/v1/auth/accept-invitation';
    return suite.app.request({ method: 'POST', url, remoteAddress: freshAddress(), payload });
  };

  test('who are invited hold their place, can be invited again, and are let in', async () => {
    const stage = await newStage();
    await limit(stage, { members: 2 });
    const email = newEmail();
    const invite = () => asOwner(stage, 'POST', '/members', { email, role: 'viewer' });
    expect([(await invite()).status, (await invite()).status]).toEqual([201, 201]);
    expect(outcomeOf(await resources.members.make(stage))).toBe(refusal);
    expect((await accept(email)).status).toBe(200);
    expect((await useOf(stage)).members).toBe(2);
  });

  test('who have an account need room too, and a member is told to be one before a limit is', async () => {
    const stage = await newStage();
    await limit(stage, { members: 1 });
    const { email } = await createUser(suite.app);
    const add = (address: string) => asOwner(stage, 'POST', '/members', { email: address, role: 'admin' });
    expect(outcomeOf(await add(email))).toBe(refusal);
    expect(outcomeOf(await add(stage.tenant.owner.email))).toBe('409 MEMBER.ALREADY_ADDED');
  });

  test('are not let in by an invitation while there are more than the plan has come to allow', async () => {
    const stage = await newStage();
    const email = newEmail();
    created(await asOwner(stage, 'POST', '/members', { email, role: 'viewer' }));
    await limit(stage, { members: 1 });
    expect(outcomeOf(await accept(email))).toBe(refusal);
    await limit(stage, { members: 2 });
    expect((await accept(email)).status).toBe(200);
  });
});

test('counters that went wrong are corrected, and those that are right stay', async () => {
  const stage = await newStage();
  created(await resources.products.make(stage));
  created(await resources.webhooks.make(stage));
  created(await activate(stage, newId()));
  await suite.app.services.tenants.withTenantDb(stage.tenant.id, async (db) => {
    const before = await useOf(stage);
    expect(await recountUse(db)).toEqual([]);
    await db.query
      .updateTable('plan_use')
      .set({ used: 17 })
      .where('resource', 'in', ['licenses', 'webhooks'])
      .execute();
    expect((await recountUse(db)).sort()).toEqual(['licenses', 'webhooks']);
    expect(await useOf(stage)).toEqual(before);
  });
});
