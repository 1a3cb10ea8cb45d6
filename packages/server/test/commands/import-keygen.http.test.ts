import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTenant, useTenantPerTest } from '../support/accounts.ts';
import {
  accountId,
  type FakeKeygen,
  keygenId,
  keygenToken,
  related,
  resource,
  send,
  startFakeKeygen,
} from '../support/fake-keygen.ts';
import {
  fillAccount,
  newLicense,
  newMachine,
  newPolicy,
  policyId,
  productId,
  userId,
} from '../support/keygen-account.ts';
import { type Finished, licensing } from './licensing.ts';

const suite = useTenantPerTest();
let keygen: FakeKeygen;
beforeAll(async () => {
  keygen = await startFakeKeygen();
});
beforeEach(() => {
  keygen.collections.clear();
  for (const path of ['entitlements', 'products', 'policies', 'users', 'licenses', 'machines'])
    keygen.collections.set(path, []);
  fillAccount(keygen, 2);
  keygen.interfere = null;
  keygen.knowsCursors = true;
  keygen.requests.length = 0;
});
afterAll(() => keygen.close());

function importing(...more: readonly string[]): Promise<Finished> {
  const args = ['import', 'keygen', '--url', keygen.url, '--account', 'acme', '--tenant', suite.tenant.id, ...more];
  return licensing(args, { ...suite.app.site.env, KEYGEN_TOKEN: keygenToken });
}

type Line = Record<string, unknown>;

/** Returns the report without the collections that the fake account never has. */
function reportOf({ stdout }: Finished): Line[] {
  const lines: Line[] = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return lines.filter(({ id, outcome }) => !(id === null && outcome === 'left_out'));
}

async function list(path: string): Promise<Line[]> {
  return (await suite.tenant.asOwner('GET', `${path}?limit=100`)).body.data;
}

async function imported(...more: readonly string[]): Promise<Line[]> {
  const finished = await importing(...more);
  expect(finished, finished.stderr).toMatchObject({ code: 0 });
  return reportOf(finished);
}

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
  expect(await imported()).toEqual([]);
  const [product] = await list('/products');
  const [policy] = await list('/policies');
  expect(product).toMatchObject({ code: 'editor', name: 'Editor', platforms: ['linux'] });
  expect(policy).toMatchObject({ product_id: product?.['id'], code: 'yearly', duration_days: 365, max_activations: 3 });
  const licenses = await list('/licenses');
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

describe('the terms of a policy', () => {
  const cases: readonly { readonly keygen: Line; readonly here: Line; readonly reported?: readonly string[] }[] = [
    { keygen: { overageStrategy: 'NO_OVERAGE' }, here: { activation_overage_percent: 0 } },
    { keygen: { overageStrategy: 'ALLOW_1_25X_OVERAGE' }, here: { activation_overage_percent: 25 } },
    { keygen: { overageStrategy: 'ALLOW_1_5X_OVERAGE' }, here: { activation_overage_percent: 50 } },
    { keygen: { overageStrategy: 'ALLOW_2X_OVERAGE' }, here: { activation_overage_percent: 100 } },
    { keygen: { overageStrategy: 'ALWAYS_ALLOW_OVERAGE' }, here: { activation_overage_percent: null } },
    { keygen: { duration: null }, here: { duration_days: null } },
    { keygen: { duration: 90_000 }, here: { duration_days: 2 }, reported: ['duration'] },
    { keygen: { floating: false, maxMachines: null }, here: { max_activations: 1 } },
    { keygen: { floating: true, maxMachines: null }, here: { max_activations: null } },
    { keygen: { maxMachines: 0 }, here: { max_activations: 0 } },
    { keygen: { expirationStrategy: 'REVOKE_ACCESS' }, here: { expiry_strategy: 'deny' } },
    { keygen: { expirationStrategy: 'ALLOW_ACCESS' }, here: { expiry_strategy: 'allow', maintenance_days: null } },
    { keygen: { expirationStrategy: 'MAINTAIN_ACCESS' }, here: { expiry_strategy: 'allow', maintenance_days: 365 } },
    { keygen: { expirationBasis: 'FROM_FIRST_VALIDATION' }, here: { expiry_basis: 'first_validation' } },
    { keygen: { expirationBasis: 'FROM_FIRST_ACTIVATION' }, here: { expiry_basis: 'first_activation' } },
    {
      keygen: { expirationBasis: 'FROM_FIRST_DOWNLOAD' },
      here: { expiry_basis: 'first_validation' },
      reported: ['expirationBasis'],
    },
    { keygen: { renewalBasis: 'FROM_NOW' }, here: { renewal_basis: 'from_now' } },
    {
      keygen: { renewalBasis: 'FROM_NOW_IF_EXPIRED' },
      here: { renewal_basis: 'from_expiry' },
      reported: ['renewalBasis'],
    },
    { keygen: { strict: true }, here: { require_activation: true } },
    { keygen: { requireHeartbeat: true, heartbeatBasis: 'FROM_CREATION' }, here: { lease_seconds: 600 } },
    {
      keygen: { requireHeartbeat: true, heartbeatDuration: 60, heartbeatBasis: 'FROM_FIRST_PING' },
      here: { lease_seconds: 60 },
      reported: ['heartbeatBasis'],
    },
    {
      keygen: { requireHeartbeat: true, heartbeatCullStrategy: 'KEEP_DEAD' },
      here: { lease_seconds: null },
      reported: ['heartbeatCullStrategy'],
    },
    { keygen: { metadata: { tier: 'gold' } }, here: { metadata: { tier: 'gold' } } },
    { keygen: { name: ` ${'x'.repeat(120)}` }, here: { name: 'x'.repeat(100) }, reported: ['name'] },
    {
      keygen: {
        maxUses: 5,
        maxCores: 8,
        scheme: 'ED25519_SIGN',
        requireCheckIn: true,
        transferStrategy: 'RESET_EXPIRY',
      },
      here: {},
      reported: ['maxCores', 'maxUses', 'requireCheckIn', 'scheme', 'transferStrategy'],
    },
  ];

  test('each attribute becomes our term, or is reported with its name', async () => {
    const idOf = (index: number) => keygenId(2, index + 1);
    keygen.collections.set(
      'policies',
      cases.map((one, index) => newPolicy({ name: `Case ${index}`, ...one.keygen }, idOf(index))),
    );
    keygen.collections.set('licenses', []);
    keygen.collections.set('machines', []);
    const report = (await imported()).filter(({ resource: kind }) => kind === 'policies');
    const policies = await list('/policies');
    for (const [index, { keygen: attributes, here, reported = [] }] of cases.entries()) {
      const fields = report.filter(({ id }) => id === idOf(index)).map(({ field }) => field);
      expect({ attributes, fields: fields.sort() }).toEqual({ attributes, fields: reported });
      const name = String(attributes['name'] ?? `Case ${index}`)
        .trim()
        .slice(0, 100);
      expect(policies.find((policy) => policy['name'] === name)).toMatchObject(here);
    }
  });
});

describe('the fields of a license', () => {
  const others = { owner: related('users', null) };
  const cases: readonly {
    readonly what: string;
    readonly keygen: Line;
    readonly relationships?: Line;
    readonly here: Line | null;
    readonly reported?: readonly string[];
  }[] = [
    { what: 'a suspended license', keygen: { suspended: true, status: 'SUSPENDED' }, here: { status: 'suspended' } },
    { what: 'a license of a banned user', keygen: { status: 'BANNED' }, here: { status: 'revoked' } },
    { what: 'an expired license', keygen: { expiry: '2024-06-01T00:00:00.000Z' }, here: { status: 'expired' } },
    { what: 'a license without an end', keygen: { expiry: null }, here: { expires_at: null } },
    { what: 'its own limit', keygen: { maxMachines: 7 }, here: { max_activations: 7 } },
    { what: 'the limit of its policy', keygen: { maxMachines: 3 }, here: { max_activations: null } },
    { what: 'metadata', keygen: { metadata: { orderId: 'A-1' } }, here: { metadata: { orderId: 'A-1' } } },
    {
      what: 'a name without an owner',
      keygen: { name: 'Studio' },
      relationships: others,
      here: { holder: { name: 'Studio', email: null, reference: null } },
    },
    { what: 'a name with an owner', keygen: { name: 'Studio' }, here: { metadata: { keygen_name: 'Studio' } } },
    {
      what: 'the last validation',
      keygen: { lastValidated: '2025-01-01T00:00:00.000Z' },
      here: { last_validated_at: '2025-01-01T00:00:00.000000Z' },
    },
    { what: 'an end before its creation', keygen: { expiry: '2023-01-01T00:00:00.000Z' }, here: { status: 'expired' } },
    { what: 'uses', keygen: { uses: 4 }, here: { status: 'active' }, reported: ['uses'] },
    { what: 'a limit of cores', keygen: { maxCores: 4 }, here: { status: 'active' }, reported: ['maxCores'] },
    {
      what: 'further users',
      keygen: {},
      relationships: { users: { meta: { count: 2 } } },
      here: {},
      reported: ['users'],
    },
    {
      what: 'metadata beyond 4 levels',
      keygen: { metadata: { a: { b: { c: { d: { e: 1 } } } } } },
      here: { metadata: {} },
      reported: ['metadata'],
    },
    { what: 'text with NUL', keygen: { metadata: { a: 'b\u0000c' } }, here: { metadata: { a: 'bc' } } },
    { what: 'a key that needs encoding', keygen: { key: 'key/abc=' }, here: null, reported: ['key'] },
    { what: 'a key that is too long', keygen: { key: 'x'.repeat(129) }, here: null, reported: ['key'] },
    { what: 'no key', keygen: { key: undefined }, here: null, reported: ['key'] },
    { what: 'an expiry that is no date', keygen: { expiry: 'soon' }, here: null, reported: ['expiry'] },
    {
      what: 'no policy',
      keygen: {},
      relationships: { policy: related('policies', keygenId(2, 99)) },
      here: null,
      reported: ['policy'],
    },
    {
      what: 'an unknown owner',
      keygen: {},
      relationships: { owner: related('users', keygenId(3, 99)) },
      here: { holder: { name: null, email: null, reference: keygenId(3, 99) } },
      reported: ['owner'],
    },
    {
      what: 'the owner of an older API',
      keygen: {},
      relationships: { owner: undefined, user: related('users', userId) },
      here: { holder: { name: 'Ada Lovelace', email: 'ada@example.com', reference: userId } },
    },
  ];

  test('each kind of license is imported, or refused with the field that is wrong', async () => {
    keygen.collections.set(
      'licenses',
      cases.map((one, index) => newLicense(index + 1, one.keygen, one.relationships)),
    );
    keygen.collections.set('machines', []);
    const report = (await imported()).filter(({ resource: kind }) => kind === 'licenses');
    expect(JSON.stringify(report)).not.toMatch(/key\/abc|KEY-0|ada@/);
    const licenses = await list('/licenses');
    for (const [index, { what, keygen: attributes, here, reported = [] }] of cases.entries()) {
      const fields = report.filter(({ id }) => id === keygenId(4, index + 1)).map(({ field }) => field);
      expect({ what, fields }).toEqual({ what, fields: reported });
      const license = licenses.find(
        ({ key }) => key === (attributes['key'] ?? newLicense(index + 1).attributes['key']),
      );
      if (here === null) expect(license, what).toBeUndefined();
      else expect(license, what).toMatchObject(here);
    }
  });
});

test('entitlements of policies and licenses are granted, and those of the policy are not repeated', async () => {
  const [one, two] = ['EXPORT', 'CLOUD'].map((code, index) =>
    resource('entitlements', keygenId(6, index + 1), { code, name: code }),
  );
  if (one === undefined || two === undefined) throw new Error('The entitlements are missing.');
  keygen.collections.set('entitlements', [one, two]);
  keygen.collections.set(`policies/${policyId}/entitlements`, [one]);
  keygen.collections.set(`licenses/${keygenId(4, 1)}/entitlements`, [one, two]);
  keygen.collections.set(`licenses/${keygenId(4, 2)}/entitlements`, [one]);
  expect(await imported()).toEqual([]);
  expect((await list('/policies'))[0]?.['entitlements']).toEqual([{ code: 'EXPORT' }]);
  const ofLicense = new Map((await list('/licenses')).map(({ key, entitlements }) => [key, entitlements]));
  expect(ofLicense.get('KEY-00000001')).toEqual([{ code: 'CLOUD' }]);
  expect(ofLicense.get('KEY-00000002')).toEqual([]);
  const check = { entitlements: ['EXPORT', 'CLOUD'] };
  const answer = await suite.tenant.asApplication('/licenses/KEY-00000001/entitlements/check', check);
  expect(answer.body.data.entitlements.map(({ has_access }: Line) => has_access)).toEqual([true, true]);
  expect(await imported()).toEqual([]);
});

test('a dry run prints the report of the import and writes nothing', async () => {
  keygen.collections.set('licenses', [
    ...[1, 2, 3].map((number) => newLicense(number)),
    newLicense(4, { key: 'KEY-00000001' }),
    newLicense(5, { key: 'not legal', uses: 3 }),
    newLicense(6, { uses: 3, maxMachines: 1 }),
  ]);
  const machines = [newMachine(1, 6), newMachine(2, 6), newMachine(3, 5), newMachine(4, 1), newMachine(4, 1)];
  keygen.collections.set('machines', [...machines, newMachine(5, 1, { fingerprint: 'fp-4' })]);
  const before = await stateOfTenant();
  const dry = await importing('--dry-run');
  expect(await stateOfTenant()).toEqual(before);
  const real = await importing();
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
  expect(await list('/licenses')).toHaveLength(4);
  expect(await list('/activations')).toHaveLength(2);
});

describe('a repeated import', () => {
  test('changes nothing when nothing changed', async () => {
    await imported();
    const before = await stateOfTenant();
    const again = await importing();
    expect(await stateOfTenant()).toEqual(before);
    expect(again.stderr).toContain('licenses: 2 unchanged');
  });

  test('updates what changed in Keygen, with an audit record, and creates what is new', async () => {
    await imported();
    keygen.collections.set('licenses', [
      newLicense(1, { suspended: true, maxMachines: 9 }),
      newLicense(2),
      newLicense(3),
    ]);
    keygen.collections.set('policies', [newPolicy({ maxMachines: 5 })]);
    keygen.collections.set('machines', [newMachine(1, 1, { name: 'Desk' }), newMachine(2, 2)]);
    const { stderr } = await importing();
    expect(stderr).toContain('policies: 1 updated');
    expect(stderr).toContain('licenses: 1 created, 2 updated');
    expect(stderr).toContain('machines: 1 updated, 1 unchanged');
    const licenses = await list('/licenses');
    expect(licenses).toHaveLength(3);
    expect(licenses.find(({ key }) => key === 'KEY-00000001')).toMatchObject({
      status: 'suspended',
      max_activations: 9,
    });
    const audits = (await suite.tenant.asOwner('GET', '/audit-logs?limit=100')).body.data;
    expect(audits.filter(({ event }: Line) => event === 'LICENSE.UPDATED')).toHaveLength(2);
  });

  test('keeps and reports what changed on both sides, and takes the state of Keygen with --overwrite', async () => {
    await imported();
    const ours = (await list('/licenses')).find(({ key }) => key === 'KEY-00000001');
    await suite.tenant.asOwner('PUT', `/licenses/${ours?.['id']}`, { max_activations: 50 });
    expect(await imported()).toEqual([]);
    keygen.collections.set('licenses', [newLicense(1, { maxMachines: 9 }), newLicense(2)]);
    expect(await imported()).toMatchObject([{ resource: 'licenses', id: keygenId(4, 1), outcome: 'conflict' }]);
    const limit = async () =>
      (await suite.tenant.asOwner('GET', `/licenses/${ours?.['id']}`)).body.data.max_activations;
    expect(await limit()).toBe(50);
    expect(await imported('--overwrite')).toEqual([]);
    expect(await limit()).toBe(9);
  });

  test('does not bring back what was deleted or revoked here, and keeps what was deleted in Keygen', async () => {
    await imported();
    const idOf = async (wanted: string) => (await list('/licenses')).find(({ key }) => key === wanted)?.['id'];
    await suite.tenant.asOwner('DELETE', `/licenses/${await idOf('KEY-00000001')}`);
    const second = await idOf('KEY-00000002');
    await suite.tenant.asOwner('POST', `/licenses/${second}/revoke`, {});
    keygen.collections.set('licenses', [newLicense(1), newLicense(2, { maxMachines: 4 })]);
    keygen.collections.set('machines', []);
    const report = await imported('--overwrite');
    expect(report.map(({ resource: kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'licenses conflict',
      'licenses conflict',
      'machines missing',
      'machines missing',
    ]);
    expect((await list('/licenses')).map(({ status }) => status)).toEqual(['revoked']);
  });
});

test('an import does not exceed the limit of a license, which includes its overage', async () => {
  keygen.collections.set('policies', [newPolicy({ overageStrategy: 'ALLOW_1_5X_OVERAGE', maxMachines: 2 })]);
  keygen.collections.set('licenses', [newLicense(1, { maxMachines: 2 })]);
  keygen.collections.set(
    'machines',
    [1, 2, 3, 4, 5].map((number) => newMachine(number, 1)),
  );
  const report = await imported();
  expect(report.map(({ id }) => id)).toEqual([keygenId(5, 4), keygenId(5, 5)]);
  expect((await list('/licenses'))[0]).toMatchObject({ activations_count: 3 });
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
  const dry = await importing('--dry-run');
  const real = await importing();
  expect(dry.stdout).toBe(real.stdout);
  expect(reportOf(real)).toMatchObject([
    { resource: 'licenses', id: keygenId(4, 2), outcome: 'refused' },
    { resource: 'machines', id: keygenId(5, 2), field: 'license', outcome: 'refused' },
  ]);
  expect(await list('/licenses')).toHaveLength(1);
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
  keygen.collections.set('licenses', [newLicense(1, oldest), newLicense(2)]);
  await imported();
  expect(await events()).toEqual([]);
  keygen.collections.set('licenses', [newLicense(1, oldest), newLicense(2, { maxMachines: 8 }), newLicense(3)]);
  await imported('--events');
  expect((await events()).map(({ type }) => type).sort()).toEqual(['license.created', 'license.updated']);
});

test('two tenants import the same account, each for itself', async () => {
  await imported();
  const other = await createTenant(suite.app, suite.admin, 'Other');
  const args = ['import', 'keygen', '--url', keygen.url, '--account', accountId, '--tenant', other.id];
  const { code } = await licensing(args, { ...suite.app.site.env, KEYGEN_TOKEN: keygenToken });
  expect(code).toBe(0);
  expect((await other.asOwner('GET', '/licenses')).body.data).toHaveLength(2);
});

describe('the connection to Keygen', () => {
  test('pages are followed by cursor, 100 at a time, and by number on an older server', async () => {
    fillAccount(keygen, 250);
    for (const knowsCursors of [true, false]) {
      keygen.knowsCursors = knowsCursors;
      const { stderr, code } = await importing();
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/licenses: 250/) });
    }
    expect(
      keygen.requests.filter((request) => request.startsWith('licenses?') && request.includes('page[cursor]=')),
    ).toHaveLength(4);
  });

  test('limits, failures and broken connections are repeated, and Retry-After is obeyed', async () => {
    const answers = [429, 500, 503, 0, 502];
    keygen.interfere = (request, response, path) => {
      const status = path === 'licenses' ? answers.shift() : undefined;
      if (status === undefined) return false;
      if (status === 0) request.socket.destroy();
      else send(response, status, { errors: [{ title: 'Busy' }] }, { 'retry-after': '0' });
      return true;
    };
    const { code, stderr } = await importing();
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Trying again in 0.0 s.') });
    expect(answers).toEqual([]);
    expect(stderr).toContain('licenses: 2 created');
  });

  const failures: readonly {
    readonly what: string;
    readonly interfere: FakeKeygen['interfere'];
    readonly says: string;
  }[] = [
    {
      what: 'a refused token',
      interfere: (_request, response) => {
        send(response, 401, { errors: [{ detail: 'Token is invalid' }] });
        return true;
      },
      says: 'Keygen refused the token (401).',
    },
    {
      what: 'a wrong account',
      interfere: (_request, response) => {
        send(response, 404, { errors: [{ detail: 'The requested account was not found' }] });
        return true;
      },
      says: 'Check --url and --account.',
    },
    {
      what: 'HTML of another server',
      interfere: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>');
        return true;
      },
      says: 'did not answer with a page of JSON:API',
    },
    {
      what: 'a redirect, which is not followed with the token',
      interfere: (_request, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
        return true;
      },
      says: 'Keygen answered 302',
    },
    {
      what: 'a token that may not read licenses',
      interfere: (_request, response, path) => {
        if (path !== 'licenses') return false;
        send(response, 403, { errors: [{ detail: 'You do not have permission' }] });
        return true;
      },
      says: 'Keygen does not show licenses to this token.',
    },
    {
      what: 'a next page on another server',
      interfere: (_request, response, path) => {
        if (path !== 'licenses') return false;
        send(response, 200, {
          data: [newLicense(1)],
          links: { next: 'https://evil.example/v1/accounts/acme/licenses' },
        });
        return true;
      },
      says: 'leads elsewhere (evil.example',
    },
    {
      what: 'pages that never end',
      interfere: (request, response, path) => {
        if (path !== 'licenses') return false;
        const number = Number(/n=(\d+)/.exec(request.url ?? '')?.[1] ?? '0');
        send(response, 200, {
          data: [newLicense(1), newLicense(2)],
          links: { next: `/v1/accounts/acme/licenses?n=${number + 1}` },
        });
        return true;
      },
      says: 'pages of licenses repeat',
    },
  ];

  test.for(failures)(
    '$what ends the import with an explanation that does not contain the token',
    async ({ interfere, says }) => {
      keygen.interfere = interfere;
      const { code, stdout, stderr } = await importing('--dry-run');
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
      expect(stdout + stderr).not.toContain(keygenToken);
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  test('entries that are no resources, dead machines and everything without a counterpart are reported one by one', async () => {
    keygen.collections.set('policies', [newPolicy({ requireHeartbeat: true, heartbeatBasis: 'FROM_CREATION' })]);
    keygen.collections.set('machines', [newMachine(1, 1, { heartbeatStatus: 'DEAD' }), newMachine(2, 2, { cores: 8 })]);
    keygen.collections.set('groups', [resource('groups', keygenId(7, 1), { name: 'Sales' })]);
    keygen.collections.set('components', [resource('components', keygenId(8, 1), { fingerprint: 'cpu' })]);
    const person = { email: 'root@example.com', role: 'admin' };
    const buyer = { email: 'buyer@example.com', role: 'user' };
    keygen.collections
      .get('users')
      ?.push(resource('users', keygenId(3, 2), person), resource('users', keygenId(3, 3), buyer));
    const lines = (await imported()).map(({ resource: kind, id, field, outcome }) => ({ kind, id, field, outcome }));
    expect(lines).toEqual([
      { kind: 'users', id: keygenId(3, 2), field: 'role', outcome: 'left_out' },
      { kind: 'machines', id: keygenId(5, 1), field: 'heartbeatStatus', outcome: 'refused' },
      { kind: 'machines', id: keygenId(5, 2), field: 'cores', outcome: 'left_out' },
      { kind: 'components', id: keygenId(8, 1), field: undefined, outcome: 'left_out' },
      { kind: 'groups', id: keygenId(7, 1), field: undefined, outcome: 'left_out' },
      { kind: 'users', id: keygenId(3, 3), field: undefined, outcome: 'left_out' },
    ]);
  });
});

test('codes that are taken by other products and policies get a number', async () => {
  await suite.tenant.asOwner('POST', '/products', { code: 'editor', name: 'Ours' });
  keygen.collections.set('policies', [newPolicy(), newPolicy({ name: 'YEARLY!' }, keygenId(2, 2))]);
  expect(await imported()).toMatchObject([{ resource: 'products', id: productId, field: 'code', outcome: 'adjusted' }]);
  expect((await list('/products')).map(({ code }) => code).sort()).toEqual(['editor', 'editor-2']);
  expect((await list('/policies')).map(({ code }) => code).sort()).toEqual(['yearly', 'yearly-2']);
});
