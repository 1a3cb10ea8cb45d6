import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { login } from '../identity/people.ts';
import {
  type Account,
  addUser,
  createAdmin,
  createTenant,
  freshAddress,
  type TestTenant,
} from '../support/accounts.ts';
import { type Answer, createSite, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { startValkey, type ValkeyServer } from '../support/valkey-server.ts';

// Two services on one platform database and one Valkey, which each request meets in turn.
let valkey: ValkeyServer;
let site: TestSite;
let nodes: TestApp[] = [];
let admin: Account;
let tenant: TestTenant;

beforeAll(async () => {
  valkey = await startValkey();
  site = await createSite();
  const env = { VALKEY_URL: valkey.url };
  nodes = [await startApp(site, env), await startApp(site, env)];
  admin = await createAdmin(nodeFor(0));
  tenant = await createTenant(nodeFor(0), admin);
});

afterAll(async () => {
  try {
    for (const node of nodes) await stopApp(node);
  } finally {
    await site.remove();
    await valkey.stop();
  }
});

function nodeFor(turn: number): TestApp {
  const node = nodes[turn % 2];
  if (node === undefined) throw new Error('The nodes are there only inside tests and hooks.');
  return node;
}

const inTurn = (times: number, work: (node: TestApp) => Promise<Answer>) =>
  Promise.all(Array.from({ length: times }, (_, turn) => work(nodeFor(turn))));
const validateOn = (node: TestApp, apiKey = tenant.apiKey) => {
  const url = '/api/v1/integration/licenses/UNKNOWN/validate';
  return node.request({ method: 'POST', url, headers: { 'x-api-key': apiKey } });
};

async function newTenant(ceiling: number): Promise<TestTenant> {
  const made = await createTenant(nodeFor(0), admin);
  const url = `/api/v1/admin/tenants/${made.id}`;
  const payload = { limits: { integration_requests_per_minute: ceiling } };
  await nodeFor(0).request({ method: 'PATCH', url, headers: admin.auth, payload });
  return made;
}

/** How often each status or code came. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = body.error?.code ?? status;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

async function gauge(node: TestApp, name: string): Promise<number> {
  const { text } = await node.request({ method: 'GET', url: '/metrics' });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

describe('over two nodes', () => {
  test('the ceiling of a tenant is exact under 50 parallel requests, and each node shows the whole use of it', async () => {
    const { id, apiKey } = await newTenant(30);
    const answers = await inTurn(50, (node) => validateOn(node, apiKey));
    expect(tally(answers)).toEqual({ 200: 30, 'RATE_LIMIT.EXCEEDED': 20 });
    for (const node of nodes) {
      const url = `/api/v1/admin/rate-limits/${id}`;
      const { body } = await node.request({ method: 'GET', url, headers: admin.auth });
      expect(body.data).toMatchObject({ ceiling: 30, used: 30, remaining: 0 });
    }
  });

  test('the ceiling of a key is exact, and what it refuses takes nothing from the tenant', async () => {
    const { apiKey, asOwner } = await newTenant(100);
    const { key } = (await asOwner('POST', '/api-keys', { name: 'Low', rate_limit_per_minute: 20 })).body.data;
    expect(tally(await inTurn(50, (node) => validateOn(node, key)))).toEqual({ 200: 20, 'RATE_LIMIT.EXCEEDED': 30 });
    const { headers } = await validateOn(nodeFor(1), apiKey);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '79' });
  });

  test('50 parallel attempts check five passwords: the throttle stops forty, the lock five', async () => {
    const { email } = await addUser(nodeFor(0));
    const address = freshAddress();
    const attempt = (node: TestApp) => login(node, { email, password: 'wrong horse battery staple' }, address);
    expect(tally(await inTurn(50, attempt))).toEqual({
      'AUTH.INVALID_CREDENTIALS': 5,
      'AUTH.LOCKED_OUT': 5,
      'RATE_LIMIT.EXCEEDED': 40,
    });
  });

  test('bad API keys of one address are counted together', async () => {
    const address = freshAddress();
    const headers = { 'x-api-key': `vx_${'0'.repeat(64)}` };
    const url = '/api/v1/integration/licenses/UNKNOWN/validate';
    const answers = await inTurn(70, (node) => node.request({ method: 'POST', url, headers, remoteAddress: address }));
    expect(tally(answers)).toEqual({ 'AUTH.INVALID_API_KEY': 60, 'RATE_LIMIT.EXCEEDED': 10 });
  });
});

test('a node with a password that Valkey refuses does not start, and says why in one sentence', async () => {
  const VALKEY_URL = valkey.url.replace(/:[^:@]*@/, ':wrong@');
  await expect(startApp(site, { VALKEY_URL })).rejects.toThrow(
    /^Valkey on \S+ refuses what VALKEY_URL says .*: correct it\.$/,
  );
});

describe('when Valkey goes away', () => {
  test('killed under traffic, no request fails, and each node goes on with its share until it is back', async () => {
    const { apiKey } = await newTenant(100_000);
    const { apiKey: limited } = await newTenant(20);
    const answers: Answer[] = [];
    let isOver = false;
    const clients = Array.from({ length: 8 }, async (_, turn) => {
      while (!isOver) answers.push(await validateOn(nodeFor(turn), apiKey));
    });
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(50));
    await valkey.kill();
    const before = answers.length;
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(before + 50));
    for (const node of nodes) {
      expect([await gauge(node, 'rate_limit_store_up'), await gauge(node, 'rate_limit_nodes')]).toEqual([0, 2]);
      expect(await gauge(node, 'rate_limit_own_hits_total')).toBeGreaterThan(0);
      expect((await node.request({ method: 'GET', url: '/health/ready' })).status).toBe(200);
    }
    expect(tally(await inTurn(50, (node) => validateOn(node, limited)))).toEqual({
      200: 20,
      'RATE_LIMIT.EXCEEDED': 30,
    });

    await valkey.restart();
    for (const node of nodes) {
      await vi.waitFor(async () => expect(await gauge(node, 'rate_limit_store_up')).toBe(1), { timeout: 10_000 });
    }
    isOver = true;
    await Promise.all(clients);
    expect(tally(answers)).toEqual({ 200: answers.length });
    const { apiKey: anew } = await newTenant(30);
    expect(tally(await inTurn(50, (node) => validateOn(node, anew)))).toEqual({ 200: 30, 'RATE_LIMIT.EXCEEDED': 20 });
  });

  test('hanging, it holds no request up for long, and none of them fails', async () => {
    const { apiKey } = await newTenant(1000);
    valkey.pause();
    try {
      expect(tally(await inTurn(50, (node) => validateOn(node, apiKey)))).toEqual({ 200: 50 });
      expect(await gauge(nodeFor(0), 'rate_limit_store_up')).toBe(0);
    } finally {
      valkey.resume();
    }
    for (const node of nodes) {
      await vi.waitFor(async () => expect(await gauge(node, 'rate_limit_store_up')).toBe(1), { timeout: 10_000 });
    }
    const { headers } = await validateOn(nodeFor(0), apiKey);
    expect(Number(headers['x-ratelimit-remaining'])).toBeLessThan(1000);
  });
});
