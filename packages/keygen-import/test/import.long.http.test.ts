import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useTenantPerTest } from '../../server/test/support/accounts.ts';
import {
  type FakeKeygen,
  keygenId,
  keygenToken,
  pageBody,
  resource,
  send,
} from '../../server/test/support/fake-keygen.ts';
import {
  fillAccount,
  newLicense,
  newMachine,
  newPolicy,
  policyId,
  productId,
  userId,
} from '../../server/test/support/keygen-account.ts';
import { type Line, useKeygen } from './keygen-suite.ts';

const suite = useTenantPerTest();
const account = useKeygen(suite);

const briefly = (report: readonly Line[]) =>
  report.map(({ resource: kind, field, outcome }) =>
    [kind, ...(field === undefined ? [] : [field]), outcome].join(' '),
  );
const licenseOf = async (key: string) => (await account.list('/licenses')).find((one) => one['key'] === key) ?? {};

test('an account is imported with keys, holders, dates, limits and machines, and the key validates', async () => {
  expect((await account.imported()).report).toEqual([]);
  const [product] = await account.list('/products');
  const [policy] = await account.list('/policies');
  expect(product).toMatchObject({ code: 'editor', name: 'Editor', platforms: ['linux'] });
  expect(policy).toMatchObject({ product_id: product?.['id'], code: 'yearly', duration_days: 365, max_activations: 3 });
  expect(await licenseOf('KEY-00000001')).toMatchObject({
    policy_id: policy?.['id'],
    status: 'active',
    holder: { name: 'Ada Lovelace', email: 'ada@example.com', reference: userId },
    starts_at: '2024-01-02T03:04:05.678000Z',
    expires_at: '2030-01-02T03:04:05.678000Z',
    max_activations: null,
    activations_count: 1,
  });
  const verdict = await suite.tenant.asApplication('/licenses/KEY-00000001/validate', { fingerprint: 'fp-1' });
  expect(verdict.body.data).toMatchObject({ valid: true, activation: { hostname: 'host-1' } });
});

test('entitlements of policies and licenses are granted, and those of the policy are not repeated', async () => {
  const entitlements = ['EXPORT', 'CLOUD'].map((code, index) =>
    resource('entitlements', keygenId(6, index + 1), { code, name: code }),
  );
  account.keygen.collections.set('entitlements', entitlements);
  account.keygen.collections.set(`policies/${policyId}/entitlements`, entitlements.slice(0, 1));
  account.keygen.collections.set(`licenses/${keygenId(4, 1)}/entitlements`, entitlements);
  expect((await account.imported()).report).toEqual([]);
  expect((await account.list('/policies'))[0]?.['entitlements']).toEqual([{ code: 'EXPORT' }]);
  expect((await licenseOf('KEY-00000001'))['entitlements']).toEqual([{ code: 'CLOUD' }]);
  expect((await account.imported()).summary).toContain('licenses: 2 unchanged');
});

test('a dry run reports the differences of the import and writes nothing', async () => {
  account.keygen.collections.set('licenses', [
    newLicense(1),
    newLicense(4, { key: 'KEY-00000001' }),
    newLicense(5, { key: 'not legal', uses: 3 }),
    newLicense(6, { uses: 3, maxMachines: 1 }),
  ]);
  account.keygen.collections.set('machines', [newMachine(1, 6), newMachine(3, 5), newMachine(4, 1)]);
  const dry = await account.imported('--dry-run');
  for (const path of ['/products', '/policies', '/licenses', '/activations']) {
    expect(await account.list(path)).toEqual([]);
  }
  const real = await account.imported();
  expect(dry.report).toEqual(real.report);
  expect(briefly(real.report)).toEqual([
    'licenses key refused',
    'licenses key refused',
    'licenses uses left_out',
    'machines license refused',
  ]);
  expect((await account.imported('--dry-run')).summary).toContain('licenses: 2 unchanged, 2 refused');
});

test('a repeated import creates what is new, reports what differs, and takes it with --overwrite', async () => {
  await account.imported();
  expect((await account.imported()).summary).toMatch(/policies: 1 unchanged\n(.*\n)*.*machines: 2 unchanged/);
  const changed = { suspended: true, maxMachines: 9 };
  account.keygen.collections.set('licenses', [newLicense(1, changed), newLicense(2), newLicense(3)]);
  account.keygen.collections.set('policies', [newPolicy({ maxMachines: 5 })]);
  const kept = await account.imported();
  expect(briefly(kept.report)).toContain('licenses conflict');
  expect(kept.summary).toContain('1 created');
  expect(await licenseOf('KEY-00000001')).toMatchObject({ status: 'active', max_activations: null });
  expect((await account.imported('--overwrite')).summary).toContain('policies: 1 updated');
  expect(await licenseOf('KEY-00000001')).toMatchObject({ status: 'suspended', max_activations: 9 });
  expect((await account.list('/policies'))[0]).toMatchObject({ max_activations: 5 });
  expect(await account.list('/licenses')).toHaveLength(3);
});

test('an import that is interrupted is completed by the next one, and nothing is doubled', async () => {
  fillAccount(account.keygen, 250);
  account.keygen.interfere = (request, response, path) => {
    if (path !== 'machines' || !request.url?.includes(keygenId(5, 100))) return false;
    send(response, 403, { errors: [] });
    return true;
  };
  const stopped = await account.start(['--url', account.keygen.url, '--account', 'acme']);
  expect(stopped).toMatchObject({ code: 1, summary: expect.stringContaining('The token may not read this (403).') });
  account.keygen.interfere = null;
  const { summary } = await account.imported();
  expect(summary).toContain('licenses: 250 unchanged');
  expect(summary).toContain('machines: 150 created, 100 unchanged');
});

test("the limits of licenses and of the tenant's plan hold", async () => {
  account.keygen.collections.set('policies', [newPolicy({ overageStrategy: 'ALLOW_1_5X_OVERAGE', maxMachines: 2 })]);
  account.keygen.collections.set('licenses', [newLicense(1, { maxMachines: 2 }), newLicense(2)]);
  const machines = [1, 2, 3, 4, 5].map((number) => newMachine(number, 1));
  account.keygen.collections.set('machines', machines);
  const url = `/api/v1/admin/tenants/${suite.tenant.id}`;
  const request = { method: 'PATCH', url, headers: suite.admin.auth, payload: { limits: { licenses: 1 } } } as const;
  expect((await suite.app.request(request)).status).toBe(200);
  const { report } = await account.imported();
  expect(report.map(({ id }) => id)).toEqual([keygenId(4, 2), keygenId(5, 4), keygenId(5, 5)]);
  expect(await licenseOf('KEY-00000001')).toMatchObject({ activations_count: 3 });
});

test('taken codes get a number, and everything without a counterpart is reported one by one', async () => {
  await suite.tenant.asOwner('POST', '/products', { code: 'editor', name: 'Ours' });
  account.keygen.collections.set('policies', [newPolicy(), newPolicy({ name: 'YEARLY!' }, keygenId(2, 2))]);
  account.keygen.collections.set('machines', [
    newMachine(1, 1, { heartbeatStatus: 'DEAD' }),
    newMachine(2, 2, { cores: 8 }),
  ]);
  account.keygen.collections.set('groups', [resource('groups', keygenId(7, 1), { name: 'Sales' })]);
  const people = [{ role: 'admin' }, { role: 'user', email: 'buyer@example.com' }];
  const users = people.map((person, index) => resource('users', keygenId(3, index + 2), person));
  account.keygen.collections.get('users')?.push(...users);
  expect(briefly((await account.imported()).report)).toEqual([
    'products code adjusted',
    'users role left_out',
    'machines heartbeatStatus refused',
    'machines cores left_out',
    'groups left_out',
    'users left_out',
  ]);
  expect((await account.list('/products')).map(({ code }) => code).sort()).toEqual(['editor', 'editor-2']);
  expect((await account.list('/policies')).map(({ code }) => code).sort()).toEqual(['yearly', 'yearly-2']);
});

test("a holder's address that is not valid here is left out, and the license is imported", async () => {
  account.keygen.collections.set('users', [resource('users', userId, { email: 'nobody', role: 'user' })]);
  const { report } = await account.imported();
  expect(briefly(report)).toEqual(['licenses owner left_out', 'licenses owner left_out']);
  expect(JSON.stringify(report)).not.toContain('nobody');
  expect((await licenseOf('KEY-00000001'))['holder']).toEqual({ name: null, email: null, reference: userId });
});

describe('saved pages', () => {
  async function save(name: string, lines: readonly object[]): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'keygen-import-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return folder;
  }

  test('a folder of pages in any order is imported like the API, with the entitlements of licenses', async () => {
    const cloud = resource('entitlements', keygenId(6, 1), { code: 'CLOUD', name: 'Cloud' });
    const pages = ['machines', 'licenses', 'users', 'policies', 'products'].flatMap((path) =>
      (account.keygen.collections.get(path) ?? []).map((one) => ({ data: [one] })),
    );
    const nested = pageBody(`licenses/${keygenId(4, 1)}/entitlements`, [cloud], '', 100);
    const folder = await save('pages.ndjson', [nested, ...pages, { data: [cloud] }]);
    expect(await account.start(['--from', folder])).toMatchObject({ code: 0, report: [] });
    expect((await licenseOf('KEY-00000001'))['entitlements']).toEqual([{ code: 'CLOUD' }]);
  });

  test('a line that is not a page ends the import with its number', async () => {
    const folder = await save('broken.ndjson', [{ data: [newLicense(1)] }, {}]);
    const says = 'Line 2 of broken.ndjson is not a page of Keygen\'s API: it has no "data".';
    expect(await account.start(['--from', folder])).toMatchObject({ code: 1, summary: says });
  });
});

describe('the connection to Keygen', () => {
  test('pages are followed by cursor and by number, and failures are repeated as Retry-After says', async () => {
    fillAccount(account.keygen, 250);
    const answers = [429, 503, 0];
    account.keygen.interfere = (request, response, path) => {
      const status = path === 'licenses' ? answers.shift() : undefined;
      if (status === undefined) return false;
      if (status === 0) request.socket.destroy();
      else send(response, status, {}, { 'retry-after': '0' });
      return true;
    };
    const { summary } = await account.imported('--dry-run');
    expect(summary).toContain('Trying again in 0.0 s.');
    expect(summary).toContain('licenses: 250 created');
    account.keygen.knowsCursors = false;
    expect((await account.imported('--dry-run')).summary).toContain('licenses: 250 created');
  });

  const failures: readonly (readonly [what: string, says: string, interfere: FakeKeygen['interfere']])[] = [
    ['a refused token', 'Keygen refused the token (401).', (_request, response) => answer(response, 401, {})],
    ['a wrong account', 'Check --url and --account.', (_request, response) => answer(response, 404, {})],
    ['another server', 'did not answer with a page of JSON:API', (_request, response) => answer(response, 200, {})],
    ['a redirect', 'Keygen answered 302', (_request, response) => answer(response, 302, {})],
    [
      'a next page on another server',
      'leads elsewhere (evil.example',
      (_request, response) =>
        answer(response, 200, { data: [], links: { next: 'https://evil.example/v1/accounts/acme/products' } }),
    ],
    [
      'pages that never end',
      'pages of entitlements repeat',
      (_request, response) =>
        answer(response, 200, {
          data: [resource('entitlements', productId, { code: 'A' })],
          links: { next: '/v1/accounts/acme/entitlements?n=1' },
        }),
    ],
  ];
  const answer = (response: Parameters<typeof send>[0], status: number, body: unknown) => {
    send(response, status, body);
    return true;
  };

  test.for(failures)('%s ends the import with an explanation without the token', async ([_what, says, interfere]) => {
    account.keygen.interfere = interfere;
    const { code, summary } = await account.start(['--url', account.keygen.url, '--account', 'acme', '--dry-run']);
    expect({ code, summary }).toEqual({ code: 1, summary: expect.stringContaining(says) });
    expect(summary).not.toContain(keygenToken);
  });
});

test.for([
  [[], {}, 'The option --account is missing, or --from.'],
  [['--account', 'a', '--url', 'http://keygen.example'], {}, '--url must be an https'],
  [['--account', 'a'], { KEYGEN_TOKEN: '' }, 'The token is missing or malformed'],
  [['--from', '/nonexistent'], {}, 'there is no file or folder'],
  [['--account', 'a', '--from', '.'], {}, 'cannot be combined'],
  [['--unknown'], {}, "Unknown option '--unknown'"],
] as const)('the command line %j is refused', async ([args, env, says]) => {
  expect(await account.start(args, env)).toMatchObject({ code: 2, summary: expect.stringContaining(says) });
});

test('the token can come from standard input', async () => {
  const args = ['--url', account.keygen.url, '--account', 'acme', '--token-stdin', '--dry-run'];
  expect(await account.start(args, { KEYGEN_TOKEN: '' }, `${keygenToken}\n`)).toMatchObject({ code: 0 });
});
