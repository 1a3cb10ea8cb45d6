import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bothSurfaces, freshAddress, type TestTenant, useTenant } from '../support/accounts.ts';
import { startApp, stopApp, type TestApp } from '../support/harness.ts';
import { badFields, newLicense } from '../support/licensing-catalog.ts';
import { fillPath, liveRoutes, unknownValues } from '../support/routes.ts';
import { loginMails, openPortal } from './portal-data.ts';

const suite = useTenant({ PUBLIC_URL: 'https://licenses.example.com', CORS_ORIGINS: 'https://office.example.com' });
/** The TXT records that exist; an error: the name server fails. */
const records = new Map<string, readonly string[] | Error>();
const resolveTxt = async (name: string) => {
  const found = records.get(name) ?? [];
  if (found instanceof Error) throw found;
  return found;
};
let names = 0;
const newDomain = () => `portal-${++names}.vendor.example`;

beforeAll(() => {
  Object.assign(suite.app.services, { resolveTxt });
});
beforeEach(() => records.clear());

const settings = async (tenant: TestTenant) => (await tenant.asOwner('GET', '/portal')).body.data;
const choose = (tenant: TestTenant, domain: string | null) => tenant.asOwner('PUT', '/portal', { domain });
const verify = (tenant: TestTenant) => tenant.asOwner('POST', '/portal/domain/verify', {});
const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
];

/** Creates the record that the settings ask for. */
async function publish(tenant: TestTenant) {
  const { txt_name, txt_value } = (await settings(tenant)).domain;
  records.set(txt_name, [txt_value]);
}

/** Gives the portal of a tenant a proved domain. */
async function prove(tenant: TestTenant, domain = newDomain()): Promise<string> {
  await choose(tenant, domain);
  await publish(tenant);
  const answer = await verify(tenant);
  if (answer.status !== 200) throw new Error(answer.text);
  return domain;
}

/** Sends a request as a browser at a host does. */
function at(host: string, url: string, { app = suite.app, token, payload }: Sent = {}) {
  return app.request({
    method: payload === undefined ? 'GET' : 'POST',
    url,
    remoteAddress: freshAddress(),
    headers: { host, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(payload && { payload }),
  });
}
interface Sent {
  readonly app?: TestApp;
  readonly token?: string;
  readonly payload?: object;
}
const portal = '/api/v1/portal/_';

/** Logs the holder of a new license in at a host, by a link of the vendor. */
async function logInAt(host: string, path: string, tenant: TestTenant): Promise<string> {
  const license = await newLicense(tenant, {}, { holder: { email: 'ada@example.com' } });
  const link = await tenant.asOwner('POST', `/licenses/${license.id}/portal-link`, {});
  const token = String(link.body.data.url).split('#token=')[1] ?? '';
  suite.app.secrets.note(token);
  return (await at(host, `${path}/login/link`, { payload: { token } })).body.data.token;
}

describe('the domain of a portal', () => {
  test.each([
    'localhost',
    'portal',
    '',
    '192.0.2.1',
    '0x7f.1',
    '[2001:db8::1]',
    '2001:db8::1',
    'portal.vendor.example:443',
    'https://portal.vendor.example',
    'portal.vendor.example/path',
    'user@portal.vendor.example',
    'portal.vendor.example.',
    'portal..vendor.example',
    '-portal.vendor.example',
    'portal-.vendor.example',
    '*.vendor.example',
    'portal_1.vendor.example',
    'portal.vendor.example\n',
    'portal.vendor.123',
    `${'a'.repeat(64)}.example`,
    `${'abcdefg.'.repeat(30)}example`,
    'LICENSES.example.com',
    'office.example.com',
  ])('%j is refused, and nothing changes', async (domain) => {
    await openPortal(suite.tenant);
    const answer = await choose(suite.tenant, domain);
    expect([answer.status, badFields(answer)]).toEqual([422, ['domain']]);
    expect((await settings(suite.tenant)).domain).toBeNull();
  });

  const title = 'is stored in lower case and in ASCII and proved by its record, through the $surface surface, audited';
  test.each(bothSurfaces(suite))(title, async ({ prefix, auth, suffix }) => {
    await openPortal(suite.tenant);
    const ask = (method: 'PUT' | 'POST', path: string, payload: object) =>
      suite.app.request({ method, url: prefix() + path, headers: auth(), payload });
    const { body } = await ask('PUT', '/portal', { domain: 'Lizenzen.Bücher.example' });
    const name = 'lizenzen.xn--bcher-kva.example';
    expect(body.data.domain).toMatchObject({ name, txt_name: `_license-portal.${name}`, verified_at: null });
    expect(body.data.url).toMatch(/^https:\/\/licenses\.example\.com\/portal\//);
    await publish(suite.tenant);
    const proved = await ask('POST', '/portal/domain/verify', {});
    expect(proved.body.data).toMatchObject({ url: `https://${name}`, domain: { verified_at: expect.any(String) } });
    const kept = await ask('PUT', '/portal', { domain: name });
    expect(kept.body.data.domain).toEqual(proved.body.data.domain);
    const audit = await suite.tenant.asOwner('GET', '/audit-logs?resource_type=portal&limit=1');
    const change = { field: 'domain_verified_at', old: null, new: expect.any(String) };
    expect(audit.body.data[0]).toMatchObject({ event: `PORTAL.UPDATED${suffix}`, changes: [change] });
    await ask('PUT', '/portal', { domain: null });
    expect(await settings(suite.tenant)).toMatchObject({ domain: null, url: expect.stringContaining('/portal/') });
  });

  test('needs a handle first, and a check needs a domain', async () => {
    const tenant = await suite.newTenant();
    const early = await choose(tenant, newDomain());
    expect([early.status, badFields(early)]).toEqual([422, ['handle']]);
    expect(outcome(await verify(tenant))).toEqual([409, 'PORTAL.DOMAIN_NOT_PROVED']);
  });

  test('another domain needs a proof of its own, with another value', async () => {
    const tenant = await suite.newTenant();
    await openPortal(tenant);
    const first = await prove(tenant);
    const { txt_value } = (await settings(tenant)).domain;
    const second = newDomain();
    const changed = (await choose(tenant, second)).body.data.domain;
    expect(changed).toMatchObject({ name: second, verified_at: null });
    expect(changed.txt_value).not.toBe(txt_value);
    records.set(changed.txt_name, [txt_value]);
    expect(outcome(await verify(tenant))).toEqual([409, 'PORTAL.DOMAIN_NOT_PROVED']);
    for (const domain of [first, second]) expect((await at(domain, portal)).status).toBe(404);
  });

  test.each([
    { kind: 'no record', found: () => [], says: 'There is no TXT record' },
    { kind: 'another value', found: () => ['v=spf1 -all'], says: 'has another value: "v=spf1 -all"' },
    { kind: 'the value with more behind it', found: (value: string) => [`${value}0`], says: 'has another value' },
    { kind: 'a name server that fails', found: () => new Error('ESERVFAIL'), says: 'No name server answered' },
  ])('$kind proves nothing, and the message says what was found and what to do', async ({ found, says }) => {
    const tenant = await suite.newTenant();
    await openPortal(tenant);
    const domain = newDomain();
    await choose(tenant, domain);
    const { txt_name, txt_value } = (await settings(tenant)).domain;
    records.set(txt_name, found(txt_value));
    const answer = await verify(tenant);
    expect(outcome(answer)).toEqual([409, 'PORTAL.DOMAIN_NOT_PROVED']);
    expect(answer.body.error.message).toContain(says);
    expect(answer.body.error.message).toContain(txt_name);
    expect((await at(domain, portal)).status).toBe(404);
    records.set(txt_name, ['v=spf1 -all', txt_value, 'other']);
    expect((await verify(tenant)).status).toBe(200);
    expect((await at(domain, portal)).status).toBe(200);
  });

  test('checks ask the name servers 60 times a minute and tenant at most', async () => {
    const tenant = await suite.newTenant();
    await openPortal(tenant);
    await choose(tenant, newDomain());
    const statuses: number[] = [];
    for (let count = 0; count < 61; count++) statuses.push((await verify(tenant)).status);
    expect(statuses).toEqual([...Array<number>(60).fill(409), 429]);
  });

  test('an unproved domain blocks no other tenant, one of two proofs at the same moment wins, and it is then taken', async () => {
    const tenants = [await suite.newTenant(), await suite.newTenant(), await suite.newTenant()] as const;
    const domain = newDomain();
    for (const tenant of tenants) await openPortal(tenant);
    const [one, other, late] = tenants;
    for (const tenant of [one, other]) expect((await choose(tenant, domain)).status).toBe(200);
    const wanted = await Promise.all([one, other].map(async (tenant) => (await settings(tenant)).domain));
    records.set(
      wanted[0].txt_name,
      wanted.map(({ txt_value }) => txt_value),
    );
    const answers = await Promise.all([verify(one), verify(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.error.code).toBe('PORTAL.DOMAIN_TAKEN');
    const taken = await choose(late, domain);
    expect([...outcome(taken), badFields(taken)]).toEqual([409, 'PORTAL.DOMAIN_TAKEN', ['domain']]);
    const winner = answers[0].status === 200 ? one : other;
    await choose(winner, null);
    expect((await choose(late, domain)).status).toBe(200);
  });
});

describe('at a proved domain', () => {
  let domain: string;
  let handle: string;
  let otherHandle: string;

  beforeAll(async () => {
    const other = await suite.newTenant('Other');
    otherHandle = await openPortal(other);
    handle = await openPortal(suite.tenant, 'own-domain');
    domain = await prove(suite.tenant);
    await suite.tenant.asOwner('PUT', '/brand', { display_name: 'Vendor' });
  });

  test.each(['', ':443', ':8443'])('the portal of its tenant answers, with the port %j', async (port) => {
    const answer = await at(domain.toUpperCase() + port, portal);
    expect(answer.body.data.display_name).toBe('Vendor');
  });

  test.each(['/', '/purchase?connection=1&id=2', '/licenses/1', '/licenses/1/offline'])(
    'the page of the portal is at %s',
    async (path) => {
      const page = await at(domain, path);
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      const [script = ''] = /\/portal-assets\/[\w.-]+\.js/.exec(page.text) ?? [];
      expect((await at(domain, script)).status).toBe(200);
    },
  );

  test('no operation outside of its portal exists, with any credential', async () => {
    const values = { ...unknownValues(), tenantId: suite.tenant.id };
    const routes = liveRoutes(suite.app);
    expect(routes.length).toBeGreaterThan(300);
    for (const { method, path, title } of routes) {
      for (const own of [handle, otherHandle, domain]) {
        if (own !== handle && !path.includes('{handle}')) continue;
        const url = fillPath(path, { ...values, handle: own });
        const headers = { host: domain, ...suite.tenant.owner.auth, 'x-api-key': suite.tenant.apiKey };
        const answer = await suite.app.request({ method, url, headers, remoteAddress: freshAddress() });
        expect([answer.status, answer.body.error.code], title).toEqual([404, 'ROUTE.NOT_FOUND']);
      }
    }
  });

  test.each([
    '/dashboard',
    '/login',
    '/health',
    '/metrics',
    '/openapi.json',
    '/docs/',
    '/assets/index.js',
    '/pages/page.css',
    '/portal/own-domain',
    '/portal/_',
    '/portal/_preview',
    '/portal-domains/allowed?domain=example.com',
    '/api/v1/portal/_x',
    '/api/v1/portal/_%2f..',
    '/licenses/1/keys',
    '/licenses',
    '//',
    '/%2e%2e/api/v1/admin/tenants',
    '/portal-assets/../assets/',
    'https://licenses.example.com/api/v1/admin/tenants',
  ])('a browser that opens %s gets 404 and no page', async (url) => {
    const headers = { host: domain, accept: 'text/html' };
    const answer = await suite.app.http.inject({ url, headers });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });

  test('the address without a handle opens no portal at any other host, and Host alone decides', async () => {
    for (const host of ['licenses.example.com', 'unknown.example', otherHandle]) {
      expect((await at(host, portal)).status, host).toBe(404);
      const headers = { host, 'x-forwarded-host': domain };
      expect((await suite.app.request({ url: portal, headers })).status, host).toBe(404);
      expect((await at(host, `/api/v1/portal/${handle}`)).status, host).toBe(200);
    }
  });

  test('a session belongs to the host on which it began, and is refused on the other', async () => {
    const own = `/api/v1/portal/${handle}`;
    const sessions = [
      { host: domain, path: portal, token: await logInAt(domain, portal, suite.tenant) },
      { host: 'licenses.example.com', path: own, token: await logInAt('licenses.example.com', own, suite.tenant) },
    ];
    for (const from of sessions) {
      for (const to of sessions) {
        const answer = await at(to.host, `${to.path}/licenses`, { token: from.token });
        expect(answer.status, `${from.host} at ${to.host}`).toBe(from === to ? 200 : 401);
      }
    }
  });

  test('mails, links of the vendor and the logo lead to the domain', async () => {
    const license = await newLicense(suite.tenant, {}, { holder: { email: 'grace@example.com' } });
    const link = await suite.tenant.asOwner('POST', `/licenses/${license.id}/portal-link`, {});
    suite.app.secrets.note(String(link.body.data.url).split('#token=')[1] ?? '');
    expect(link.body.data.url).toMatch(new RegExp(`^https://${domain}#token=`));
    await at(domain, `${portal}/login`, { payload: { email: 'grace@example.com' } });
    const [mail] = await loginMails(suite.app, suite.tenant, 'grace@example.com');
    const login = await at(domain, `${portal}/login/link`, { payload: { token: mail?.token } });
    expect(login.status, login.text).toBe(200);
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    await suite.tenant.asOwner('PUT', '/brand', { logo: `data:image/png;base64,${pixel}` });
    const { logo_url } = (await at(domain, portal)).body.data;
    expect(logo_url).toMatch(new RegExp(`^https://${domain}/`));
    const { pathname, search } = new URL(logo_url);
    expect((await at(domain, pathname + search)).status).toBe(200);
  });
});

test('a proxy is told to get certificates for proved domains only', async () => {
  const tenant = await suite.newTenant();
  await openPortal(tenant);
  const domain = newDomain();
  const ask = (name: string) => at('127.0.0.1:3000', `/portal-domains/allowed?domain=${encodeURIComponent(name)}`);
  await choose(tenant, domain);
  expect((await ask(domain)).status).toBe(404);
  await publish(tenant);
  await verify(tenant);
  expect((await ask(domain.toUpperCase())).status).toBe(200);
  for (const name of ['licenses.example.com', `x.${domain}`, `${domain}:443`, '', 'a b']) {
    expect((await ask(name)).status, name).toBe(404);
  }
  await choose(tenant, null);
  expect((await ask(domain)).status).toBe(404);
});

test.each([
  { change: { domain: null }, kind: 'a removed domain' },
  { change: { domain: 'moved.vendor.example' }, kind: 'a replaced domain' },
  { change: { is_enabled: false }, kind: 'the domain of a portal that is switched off' },
])('$kind has no portal at once, also at another node and with a session', async ({ change }) => {
  const tenant = await suite.newTenant();
  await openPortal(tenant);
  const domain = await prove(tenant);
  const token = await logInAt(domain, portal, tenant);
  const other = await startApp(suite.app.site, {
    PUBLIC_URL: 'https://licenses.example.com',
    CORS_ORIGINS: 'https://office.example.com',
  });
  try {
    const nodes = [suite.app, other];
    for (const app of nodes) expect((await at(domain, `${portal}/licenses`, { app, token })).status).toBe(200);
    await tenant.asOwner('PUT', '/portal', change);
    for (const app of nodes) {
      expect((await at(domain, portal, { app })).status).toBe(404);
      expect((await at(domain, `${portal}/licenses`, { app, token })).status).toBe(404);
    }
  } finally {
    await stopApp(other);
  }
});

test('a domain that was proved through another node is served after a question of the proxy or the next reading', async () => {
  const tenant = await suite.newTenant();
  await openPortal(tenant);
  const other = await startApp(suite.app.site);
  try {
    const domain = await prove(tenant);
    expect((await at(domain, portal, { app: other })).status).toBe(404);
    await at('127.0.0.1:3000', `/portal-domains/allowed?domain=${domain}`, { app: other });
    expect((await at(domain, portal, { app: other })).status).toBe(200);
    const second = await prove(tenant);
    await other.services.servedDomains.reload();
    expect((await at(second, portal, { app: other })).status).toBe(200);
  } finally {
    await stopApp(other);
  }
});
