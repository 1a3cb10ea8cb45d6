import { beforeAll, describe, expect, test } from 'vitest';
import { loginByCode } from '../../src/features/holders/portal/login-service.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { freshAddress, type TestTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { eventsOf, newLicense } from '../support/licensing-catalog.ts';
import { statementsIn, statementsOf } from '../support/statements.ts';
import { askPortal, logInHolder, loginMails, openPortal, requestLogin } from './portal-data.ts';

const clock = useClock();
const suite = useTenant();
const minute = 60_000;
let handle: string;
let people = 0;

beforeAll(async () => {
  handle = await openPortal(suite.tenant);
});

/** Creates a license of a new holder. */
async function newHolder(tenant: TestTenant = suite.tenant, email = `Ada.${++people}@Example.com`) {
  const license = await newLicense(tenant, {}, { holder: { name: 'Ada', email } });
  return { email, licenseId: String(license.id) };
}

const ask = (method: 'GET' | 'POST', path: string, options?: Parameters<typeof askPortal>[4]) =>
  askPortal(suite.app, handle, method, path, options);
const requestFor = (email: string) => ask('POST', '/login', { payload: { email } });
const withCode = (email: string, code: string) => ask('POST', '/login/code', { payload: { email, code } });
const withLink = (token: string) => ask('POST', '/login/link', { payload: { token } });
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const refusal = [422, 'PORTAL.LOGIN_INVALID'];
const outcome = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body.error?.code];
const queryOf = (tenant: TestTenant) => suite.app.services.tenants.withTenantDb(tenant.id, async ({ query }) => query);

describe('the reach of a session', () => {
  test('a session is unknown at the portal of another tenant, also if the tenant has a license of the same address', async () => {
    const { email, licenseId } = await newHolder();
    const other = await suite.newTenant('Other');
    const otherHandle = await openPortal(other);
    await newHolder(other, email);
    const token = await logInHolder(suite.app, suite.tenant, handle, licenseId);
    const answer = await askPortal(suite.app, otherHandle, 'GET', '/licenses', { token });
    expect(outcome(answer)).toEqual([401, 'AUTH.INVALID_TOKEN']);
  });

  test('a new address of the holder ends the access to the license with the next request', async () => {
    const { email, licenseId } = await newHolder();
    const token = await logInHolder(suite.app, suite.tenant, handle, licenseId);
    expect(await ask('GET', `/licenses/${licenseId}`, { token })).toMatchObject({ status: 200 });
    await suite.tenant.asOwner('PUT', `/licenses/${licenseId}`, { holder: { email: `new-${email}` } });
    for (const path of ['', '/key', '/devices']) {
      const answer = await ask('GET', `/licenses/${licenseId}${path}`, { token });
      expect(outcome(answer), path).toEqual([404, 'LICENSE.NOT_FOUND']);
    }
    expect((await ask('GET', '/licenses', { token })).body.data).toEqual([]);
  });

  test('the erasure of a customer ends the sessions and the logins of the address', async () => {
    const { email, licenseId } = await newHolder();
    const token = await logInHolder(suite.app, suite.tenant, handle, licenseId);
    const { code } = await requestLogin(suite.app, suite.tenant, handle, email);
    const erased = await suite.tenant.asOwner('DELETE', `/customers/${email}`);
    expect(erased.status, erased.text).toBe(200);
    expect(outcome(await ask('GET', '/session', { token }))).toEqual([401, 'AUTH.INVALID_TOKEN']);
    expect(outcome(await withCode(email, code))).toEqual(refusal);
  });

  test('the portal of a tenant that is switched off, suspended or unknown is not found, with or without a session', async () => {
    const tenant = await suite.newTenant('Switched off');
    const own = await openPortal(tenant);
    const { licenseId } = await newHolder(tenant);
    const token = await logInHolder(suite.app, tenant, own, licenseId);
    const isFound = async () => {
      const answers = [
        await askPortal(suite.app, own, 'GET', '', {}),
        await askPortal(suite.app, own, 'GET', '/session', { token }),
      ];
      return answers.map(({ status, body }) => body.error?.code ?? status);
    };
    expect(await isFound()).toEqual([200, 200]);
    await tenant.asOwner('PUT', '/portal', { is_enabled: false });
    expect(await isFound()).toEqual(['PORTAL.NOT_FOUND', 'PORTAL.NOT_FOUND']);
    const refused = await tenant.asOwner('POST', `/licenses/${licenseId}/portal-link`, {});
    expect([refused.status, refused.body.error.code]).toEqual([409, 'PORTAL.SWITCHED_OFF']);
    await tenant.asOwner('PUT', '/portal', { is_enabled: true });
    expect(await isFound()).toEqual([200, 200]);
    await suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { status: 'suspended' });
    expect(await isFound()).toEqual(['PORTAL.NOT_FOUND', 'PORTAL.NOT_FOUND']);
    expect((await askPortal(suite.app, 'nobody', 'GET', '', {})).body.error.code).toBe('PORTAL.NOT_FOUND');
  });
});

describe('a login to the portal', () => {
  test('a code logs its holder in once, whatever the case of the address, and the login is audited', async () => {
    const { email, licenseId } = await newHolder();
    const { code } = await requestLogin(suite.app, suite.tenant, handle, email.toUpperCase());
    const answer = await withCode(email.toLowerCase(), code);
    expect(answer).toMatchObject({ status: 200, body: { data: { email: email.toLowerCase() } } });
    const { token } = answer.body.data;
    expect(token).toMatch(/^holder_[0-9a-f]{64}$/);
    expect(outcome(await withCode(email, code))).toEqual(refusal);
    const licenses = await ask('GET', '/licenses', { token });
    expect(licenses.body.data.map(({ id }: { id: string }) => id)).toEqual([licenseId]);
    const audit = await suite.tenant.asOwner('GET', '/audit-logs?event=PORTAL.LOGGED_IN&limit=1');
    expect(audit.body.data[0]).toMatchObject({ actor_type: 'holder', resource_type: 'portal_session' });
    expect(audit.text).not.toContain(email);
  });

  test('a link logs in once and ends the codes and links of earlier mails; a GET of the page uses nothing up', async () => {
    const { email } = await newHolder();
    const first = await requestLogin(suite.app, suite.tenant, handle, email);
    const second = await requestLogin(suite.app, suite.tenant, handle, email);
    // What a program that checks the links in a mail does.
    for (const method of ['GET', 'HEAD'] as const) {
      await suite.app.request({ method, url: `/portal/${handle}?token=${second.token}` });
      await suite.app.request({ method, url: `/api/v1/portal/${handle}/login/link?token=${second.token}` });
    }
    expect(await withLink(second.token)).toMatchObject({ status: 200 });
    for (const answer of [
      await withLink(second.token),
      await withLink(first.token),
      await withCode(email, first.code),
    ]) {
      expect(outcome(answer)).toEqual(refusal);
    }
  });

  test('a code and a link end after 10 minutes, a link of the vendor after an hour, and a session after 12 hours', async () => {
    const { email, licenseId } = await newHolder();
    const { code, token } = await requestLogin(suite.app, suite.tenant, handle, email);
    const link = await suite.tenant.asOwner('POST', `/licenses/${licenseId}/portal-link`, {});
    expect(link.headers['cache-control']).toBe('no-store');
    const ofVendor = String(link.body.data.url).split('#token=')[1] ?? '';
    suite.app.secrets.note(ofVendor);
    clock.advance(10 * minute + 1);
    expect(outcome(await withCode(email, code))).toEqual(refusal);
    expect(outcome(await withLink(token))).toEqual(refusal);
    clock.advance(49 * minute);
    const session = (await withLink(ofVendor)).body.data.token;
    expect(outcome(await withLink(ofVendor))).toEqual(refusal);
    clock.advance(12 * 60 * minute - 1000);
    expect(await ask('GET', '/session', { token: session })).toMatchObject({ status: 200 });
    clock.advance(1000);
    expect(outcome(await ask('GET', '/session', { token: session }))).toEqual([401, 'AUTH.INVALID_TOKEN']);
    expect(await eventsOf(suite.tenant, licenseId)).toContain('LICENSE.PORTAL_LINK_CREATED');
    const late = await suite.tenant.asOwner('POST', `/licenses/${licenseId}/portal-link`, {});
    const unused = String(late.body.data.url).split('#token=')[1] ?? '';
    suite.app.secrets.note(unused);
    clock.advance(60 * minute + 1);
    expect(outcome(await withLink(unused))).toEqual(refusal);
  });

  test('a code admits five tries, and the link in the same mail still works afterwards', async () => {
    const { email } = await newHolder();
    const { code, token } = await requestLogin(suite.app, suite.tenant, handle, email);
    for (let tries = 0; tries < 5; tries += 1) expect(outcome(await withCode(email, wrong(code)))).toEqual(refusal);
    clock.advance(minute);
    expect(outcome(await withCode(email, code))).toEqual(refusal);
    expect(await withLink(token)).toMatchObject({ status: 200 });
  });

  test('of 50 concurrent requests with one code one logs in', async () => {
    const { email } = await newHolder();
    const { code } = await requestLogin(suite.app, suite.tenant, handle, email);
    const { services } = suite.app;
    const actor = { type: 'holder', id: null, requestId: null, ip: null, language: null, domain: null } as const;
    const attempts = await services.tenants.withTenantDb(suite.tenant.id, (db) =>
      Promise.allSettled(Array.from({ length: 50 }, () => loginByCode(services, { db }, { email, code }, actor))),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('logging out ends the session at once', async () => {
    const { licenseId } = await newHolder();
    const token = await logInHolder(suite.app, suite.tenant, handle, licenseId);
    expect(await ask('POST', '/logout', { token })).toMatchObject({ status: 200 });
    expect(outcome(await ask('GET', '/licenses', { token }))).toEqual([401, 'AUTH.INVALID_TOKEN']);
  });
});

describe('what a stranger learns of the holders of a tenant', () => {
  test('the response to a login and its statements are the same for an address without a license', async () => {
    const { email } = await newHolder();
    const query = await queryOf(suite.tenant);
    const observe = async (address: string) => {
      const answers: unknown[] = [];
      const note = ({ status, body }: Awaited<ReturnType<typeof ask>>) => {
        const { meta: _meta, ...rest } = body;
        answers.push([status, rest]);
      };
      let ofPlatform: string[] = [];
      const ofTenant = await statementsIn(query, async () => {
        ofPlatform = await statementsOf(suite.app, async () => note(await requestFor(address)));
      });
      await runTenantJobs(suite.app);
      const ofTry = await statementsIn(query, async () => note(await withCode(address, '000000')));
      return { answers, ofPlatform, ofTenant, ofTry };
    };
    const known = await observe(email);
    expect(known.ofTenant.join(' ')).toContain('insert portal_logins');
    expect(known.ofTry.join(' ')).toContain('update portal_logins');
    expect(await observe(`nobody-${email}`)).toEqual(known);
    expect(known.answers.map((answer) => (answer as unknown[])[0])).toEqual([202, 422]);
  });

  test('mails are in the language of the portal: the login in that of its request, later ones in the last of the holder', async () => {
    const { email, licenseId } = await newHolder();
    const subjects = async () => {
      await runTenantJobs(suite.app);
      const { data } = (await suite.tenant.asOwner('GET', `/mails?recipient=${email}`)).body;
      return data.map(({ subject }: { subject: string }) => subject);
    };
    const rotate = () => suite.tenant.asOwner('POST', `/licenses/${licenseId}/rotate-key`, {});
    await ask('POST', '/login', { payload: { email }, language: 'es, fr-CH;q=0.8, en;q=0.5' });
    expect((await subjects())[0]).toBe('Votre connexion chez Acme');
    // Nobody has proven to own the address yet.
    await rotate();
    expect((await subjects())[0]).toBe('Your new license key for Editor');
    const { code } = (await loginMails(suite.app, suite.tenant, email)).at(-1) ?? { code: '' };
    const payload = { email, code };
    const token = (await ask('POST', '/login/code', { payload, language: 'fr' })).body.data.token;
    await rotate();
    expect((await subjects())[0]).toBe('Votre nouvelle clé de licence pour Editor');
    await ask('POST', '/logout', { token, language: 'de' });
    await rotate();
    expect((await subjects())[0]).toBe('Ihr neuer Lizenzschlüssel für Editor');
    await suite.tenant.asOwner('DELETE', `/customers/${email.toLowerCase()}`);
    const left = await (await queryOf(suite.tenant)).selectFrom('holder_languages').selectAll().execute();
    expect(left.filter((one) => one.email === email.toLowerCase())).toEqual([]);
  });

  test('an address without a license gets no mail', async () => {
    expect(await requestFor('nobody@example.com')).toMatchObject({ status: 202 });
    expect(await loginMails(suite.app, suite.tenant, 'nobody@example.com')).toEqual([]);
  });

  test('each client and each address have six logins and six codes a minute', async () => {
    const { email } = await newHolder();
    const remoteAddress = freshAddress();
    const url = `/api/v1/portal/${handle}/login`;
    const ofOneClient = async (index: number) => {
      const payload = { email: `client-${index}@example.com` };
      return (await suite.app.request({ method: 'POST', url, payload, remoteAddress })).status;
    };
    const statuses = [];
    for (let index = 0; index < 7; index += 1) statuses.push(await ofOneClient(index));
    expect(statuses).toEqual([...Array(6).fill(202), 429]);
    for (const [path, payload] of [
      ['/login', { email }],
      ['/login/code', { email, code: '000000' }],
    ] as const) {
      const ofOneAddress = [];
      for (let index = 0; index < 7; index += 1) ofOneAddress.push((await ask('POST', path, { payload })).status);
      expect(ofOneAddress.at(-1), path).toBe(429);
      expect(ofOneAddress.slice(0, 6), path).not.toContain(429);
    }
    clock.advance(minute);
  });

  test('nobody can fill the mailbox of a holder: 5 mails an hour, and one an hour after 15 a day', async () => {
    const { email } = await newHolder();
    const mails: number[] = [];
    for (let hour = 0; hour < 6; hour += 1) {
      for (let request = 0; request < 8; request += 1) {
        await requestFor(email);
        await runTenantJobs(suite.app);
        clock.advance(minute);
      }
      mails.push((await loginMails(suite.app, suite.tenant, email)).length);
      clock.advance(52 * minute);
    }
    expect(mails).toEqual([5, 10, 15, 16, 17, 18]);
  });
});
