import { expect, test } from 'vitest';
import { addUser, createAdmin, createUser, freshAddress, testPassword } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import {
  arrivalOf,
  logInAtProvider,
  openBrowser,
  signOn,
  signOnForToken,
  useSingleSignOn,
} from '../support/single-sign-on.ts';
import { auditOf, login, mailedLinks, me, post, register } from './people.ts';

const clock = useClock();
const suite = useSingleSignOn({ OIDC_SIGN_UP: 'true' });

const aMoment = expect.stringMatching(/^2026-11-20T12:00:00\.\d{6}Z$/);

let people = 0;
function freshPerson(fields: object = {}) {
  people += 1;
  const email = `person-${people}@example.com`;
  return { email, id: suite.provider.addPerson({ email, email_verified: true, name: 'Ada King', ...fields }) };
}

test('a user logs in with the provider and gets the same answer as with a password', async () => {
  const { app, provider } = suite;
  const { id, email } = await addUser(app);
  const person = provider.addPerson({ email: email.toUpperCase(), email_verified: true });
  const answer = await signOnForToken(app, person, 'tenant', { device_name: 'Laptop' });
  expect(answer.status, answer.text).toBe(200);
  const { access_token, expires_at, ...rest } = answer.body.data;
  const withPassword = await login(app, { email });
  const { access_token: _token, expires_at: _expiry, ...expected } = withPassword.body.data;
  expect(rest).toEqual(expected);
  expect(rest.user.id).toBe(id);
  expect(access_token).toMatch(/^service_[0-9a-f]{64}$/);
  expect(Date.parse(expires_at)).toBe(Date.now() + 30 * 86_400_000);
  expect(answer.headers['cache-control']).toBe('no-store');
  const auth = { authorization: `Bearer ${access_token}` };
  expect((await me(app, auth)).body.data.user.email).toBe(email);
  const sessions = await app.request({ method: 'GET', url: '/api/v1/account/sessions', headers: auth });
  expect(sessions.body.data.find((session: { current: boolean }) => session.current).device_name).toBe('Laptop');
});

test('reverting a change of the address unlinks what a thief linked', async () => {
  const { app } = suite;
  const user = await createUser(app);
  const asThief = (path: string, payload: object) =>
    app.request({ method: 'POST', url: `/api/v1/account${path}`, headers: user.auth, payload });
  const stolen = freshPerson();
  expect((await asThief('/email', { email: stolen.email, password: testPassword })).status).toBe(202);
  const { '/revert-email': token } = await mailedLinks(app, user.email);
  const { '/change-email': confirmation } = await mailedLinks(app, stolen.email);
  expect((await post(app, '/change-email', { token: confirmation })).status).toBe(200);
  const thief = await signOnForToken(app, stolen.id, 'tenant');
  expect(thief.body.data.user.id).toBe(user.id);
  expect((await post(app, '/revert-email', { token })).status).toBe(200);
  const auth = { authorization: `Bearer ${thief.body.data.access_token}` };
  expect((await me(app, auth)).status).toBe(401);
  expect((await signOnForToken(app, stolen.id, 'tenant')).body.data.user.id).not.toBe(user.id);
  expect((await auditOf(app, user.id)).map(({ event }) => event)).toContain('USER.IDENTITY_UNLINKED');
});

test('the browser is sent to the provider with PKCE, a state and a nonce, and keeps a cookie for same-site navigation', async () => {
  const { app, provider } = suite;
  const browser = openBrowser(app);
  const started = await browser.start();
  expect(started.status).toBe(303);
  expect(started.headers['cache-control']).toBe('no-store');
  const url = new URL(String(started.headers.location));
  expect(url.origin).toBe(provider.issuer);
  const parameters = Object.fromEntries(url.searchParams);
  expect(parameters).toMatchObject({
    response_type: 'code',
    client_id: 'licensing',
    redirect_uri: 'http://127.0.0.1:3000/api/v1/auth/oidc/callback',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) expect(parameters[name]).toMatch(/^[\w-]{43}$/);
  const cookie = String(started.headers['set-cookie']);
  expect(cookie).toMatch(/^licensing_sign_on=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/);
  const other = new URL(String((await openBrowser(app).start()).headers.location)).searchParams;
  for (const name of ['state', 'nonce', 'code_challenge']) expect(other.get(name)).not.toBe(parameters[name]);
});

test('the dashboard gets a code in the fragment and the page to open, and the callback reveals no token', async () => {
  const { app } = suite;
  const browser = openBrowser(app);
  const started = await browser.start({ return_to: '/licenses?q=a#b' });
  const answer = await browser.comeBack(await logInAtProvider(String(started.headers.location), freshPerson().id));
  expect(answer.status).toBe(303);
  expect(String(answer.headers.location)).toMatch(/^http:\/\/127\.0\.0\.1:3000\/single-sign-on#/);
  expect(arrivalOf(answer)).toMatchObject({ ability: 'tenant', next: '/licenses?q=a#b', error: undefined });
  expect(answer.text).not.toContain('service_');
});

test.each([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '/ /evil.example',
  'licenses',
  'javascript:alert(1)',
  '',
])('a login cannot lead to %j afterwards', async (target) => {
  const answer = await openBrowser(suite.app).start({ return_to: target });
  expect([answer.status, answer.headers.location]).toEqual([422, undefined]);
  expect(answer.body.error.details[0].field).toBe('return_to');
});

test('login screens can read that single sign-on is on, its name and for whom', async () => {
  const answer = await suite.app.request({ method: 'GET', url: '/api/v1/auth/oidc' });
  expect(answer.body.data).toEqual({
    enabled: true,
    name: 'Example ID',
    abilities: ['tenant', 'admin'],
    sign_up: true,
  });
});

test('a person without an account gets one with a verified address and no password', async () => {
  const { app } = suite;
  const { id, email } = freshPerson({ name: '  Ada \u0007 King  ' });
  const answer = await signOnForToken(app, id);
  const { user } = answer.body.data;
  expect(user).toMatchObject({ email, name: 'Ada   King', email_verified_at: aMoment });
  const events = (await auditOf(app, user.id)).map(({ event }) => event);
  // Both records have the same time, so they have no order.
  expect(events.sort()).toEqual(['USER.IDENTITY_LINKED', 'USER.REGISTERED']);
  expect((await login(app, { email })).body.error.code).toBe('AUTH.INVALID_CREDENTIALS');
  const again = await signOnForToken(app, id);
  expect(again.body.data.user.id).toBe(user.id);
});

test('a user without a password cannot change or prove one, and chooses one with a mailed link', async () => {
  const { app } = suite;
  const { id, email } = freshPerson();
  const { access_token } = (await signOnForToken(app, id)).body.data;
  const headers = { authorization: `Bearer ${access_token}` };
  const account = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path = '', payload?: object) =>
    app.request({ method, url: `/api/v1/account${path}`, headers, ...(payload && { payload }) });
  expect((await account('GET')).body.data.has_password).toBe(false);
  const change = await account('PUT', '', { current_password: 'x', password: testPassword });
  expect([change.status, change.body.error.code]).toEqual([409, 'ACCOUNT.NO_PASSWORD']);
  const deletion = await account('POST', '/deletion', { password: 'x' });
  expect([deletion.status, deletion.body.error.code]).toEqual([409, 'ACCOUNT.NO_PASSWORD']);
  const { data } = (await account('GET', '/identities')).body;
  const unlinking = await account('DELETE', `/identities/${data[0].id}`);
  expect([unlinking.status, unlinking.body.error.code]).toEqual([409, 'ACCOUNT.NO_PASSWORD']);

  app.secrets.note(testPassword);
  await post(app, '/forgot-password', { email });
  const token = (await mailedLinks(app, email))['/reset-password'];
  expect((await post(app, '/reset-password', { token, password: testPassword })).status).toBe(200);
  const withPassword = await login(app, { email });
  expect(withPassword.status).toBe(200);
  const auth = { authorization: `Bearer ${withPassword.body.data.access_token}` };
  const send = (method: 'GET' | 'DELETE', path: string) =>
    app.request({ method, url: `/api/v1/account${path}`, headers: auth });
  expect((await send('GET', '')).body.data.has_password).toBe(true);
  const identities = await send('GET', '/identities');
  expect(identities.body.data).toEqual([
    { id: data[0].id, issuer: suite.provider.issuer, email, linked_at: aMoment, last_used_at: aMoment },
  ]);
  expect((await send('DELETE', `/identities/${data[0].id}`)).status).toBe(200);
  expect((await send('DELETE', `/identities/${data[0].id}`)).status).toBe(404);
  expect((await send('GET', '/identities')).body.data).toEqual([]);
});

test('an identity of another user can be neither seen nor unlinked', async () => {
  const { app } = suite;
  const { id } = freshPerson();
  const { access_token } = (await signOnForToken(app, id)).body.data;
  const own = await app.request({
    method: 'GET',
    url: '/api/v1/account/identities',
    headers: { authorization: `Bearer ${access_token}` },
  });
  const stranger = await createUser(app);
  const url = `/api/v1/account/identities/${own.body.data[0].id}`;
  expect((await app.request({ method: 'DELETE', url, headers: stranger.auth })).status).toBe(404);
  const list = await app.request({ method: 'GET', url: '/api/v1/account/identities', headers: stranger.auth });
  expect(list.body.data).toEqual([]);
});

test('linking to an existing account is recorded and mailed to its holder', async () => {
  const { app, provider } = suite;
  const { id, email } = await addUser(app);
  await signOnForToken(app, provider.addPerson({ email, email_verified: true }));
  expect((await auditOf(app, id)).map(({ event }) => event)).toContain('USER.IDENTITY_LINKED');
  expect((await mailsTo(app, email)).at(-1)).toContain('Example ID');
});

test('whoever registered an address without verifying it loses the account to the person who proves to own it', async () => {
  const { app } = suite;
  const { id, email } = freshPerson();
  await register(app, email, { name: 'Mallory' });
  const early = await login(app, { email });
  expect(early.status).toBe(200);
  const answer = await signOnForToken(app, id);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.data.user).toMatchObject({ email, email_verified_at: aMoment });
  expect((await login(app, { email })).status).toBe(401);
  expect((await me(app, { authorization: `Bearer ${early.body.data.access_token}` })).status).toBe(401);
});

test('an identity that is linked stays linked when its address changes at the provider', async () => {
  const { app, provider } = suite;
  const { email, id } = await addUser(app);
  const claims = { email, email_verified: true };
  const person = provider.addPerson(claims);
  await signOnForToken(app, person);
  Object.assign(claims, { email: 'changed@example.com', email_verified: false });
  expect((await signOnForToken(app, person)).body.data.user.id).toBe(id);
});

test('a second identity with the same address is refused, and the first one keeps working', async () => {
  const { app, provider } = suite;
  const { id, email } = freshPerson();
  await signOnForToken(app, id);
  const second = await signOn(app, provider.addPerson({ email, email_verified: true }));
  expect([second.status, second.body.error.code]).toEqual([409, 'AUTH.SSO_IDENTITY_TAKEN']);
  expect((await signOnForToken(app, id)).status).toBe(200);
});

test.each([
  ['an unverified address', { email: 'unverified@example.com', email_verified: false }],
  ['an address verified by a text', { email: 'unverified@example.com', email_verified: 'true' }],
  ['an address without a statement', { email: 'unverified@example.com' }],
  ['no address', { email_verified: true }],
  ['a malformed address', { email: 'unverified', email_verified: true }],
])('a person with %s gets no account', async (_case, claims) => {
  const answer = await signOn(suite.app, suite.provider.addPerson(claims));
  expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH.SSO_EMAIL_UNVERIFIED']);
});

test('two first logins at once create one account', async () => {
  const { app } = suite;
  const { id } = freshPerson();
  const answers = await Promise.all([signOnForToken(app, id), signOnForToken(app, id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set(answers.map(({ body }) => body.data.user.id)).size).toBe(1);
});

test('a disabled user is refused, with a linked identity and without one, also between callback and exchange', async () => {
  const { app, provider } = suite;
  const admin = await createAdmin(app);
  const { id, email } = await addUser(app);
  const person = provider.addPerson({ email, email_verified: true });
  const set = (action: 'disable' | 'enable') =>
    app.request({ method: 'POST', url: `/api/v1/admin/users/${id}/${action}`, headers: admin.auth });
  await set('disable');
  const refused = await signOn(app, person);
  expect([refused.status, refused.body.error.code]).toEqual([403, 'AUTH.SSO_ACCOUNT_DISABLED']);
  await set('enable');
  const browser = openBrowser(app);
  const { code } = arrivalOf(await signOn(app, person, { browser }));
  await set('disable');
  const exchanged = await browser.exchange(code);
  expect([exchanged.status, exchanged.body.error.code]).toEqual([403, 'AUTH.SSO_ACCOUNT_DISABLED']);
  expect((await signOn(app, person)).body.error.code).toBe('AUTH.SSO_ACCOUNT_DISABLED');
});

test('a code works once, in its browser, for five minutes', async () => {
  const { app } = suite;
  const finish = async () => {
    const browser = openBrowser(app);
    return { browser, code: arrivalOf(await signOn(app, freshPerson().id, { browser })).code };
  };
  const invalid = [422, 'AUTH.SSO_ATTEMPT_INVALID'];
  const outcome = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    return [status, body.error?.code];
  };
  const first = await finish();
  expect(await outcome(openBrowser(app).exchange(first.code))).toEqual(invalid);
  const other = openBrowser(app);
  await other.start();
  expect(await outcome(other.exchange(first.code))).toEqual(invalid);
  expect((await first.browser.exchange(first.code)).status).toBe(200);
  expect(await outcome(first.browser.exchange(first.code))).toEqual(invalid);
  const late = await finish();
  clock.advance(300_001);
  expect(await outcome(late.browser.exchange(late.code))).toEqual(invalid);
  const raced = await finish();
  const answers = await Promise.all([raced.browser.exchange(raced.code), raced.browser.exchange(raced.code)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
});

test('a login returns only to the browser that started it, with its own state, once and within ten minutes', async () => {
  const { app } = suite;
  const invalid = [422, 'AUTH.SSO_ATTEMPT_INVALID'];
  const begin = async () => {
    const browser = openBrowser(app);
    const started = await browser.start();
    return { browser, query: await logInAtProvider(String(started.headers.location), freshPerson().id) };
  };
  const outcome = async (browser: ReturnType<typeof openBrowser>, query: string) => {
    const { status, body } = await browser.comeBack(query);
    return [status, body?.error?.code];
  };
  const { browser, query } = await begin();
  const other = await begin();
  const without = new URLSearchParams(query);
  without.delete('state');
  expect(await outcome(browser, without.toString())).toEqual(invalid);
  without.set('state', 'x'.repeat(43));
  expect(await outcome(browser, without.toString())).toEqual(invalid);
  expect(await outcome(openBrowser(app), query)).toEqual(invalid);
  expect(await outcome(other.browser, query)).toEqual(invalid);
  // Those attempts have not used it up.
  expect((await outcome(browser, query))[0]).toBe(303);
  expect(await outcome(browser, query)).toEqual(invalid);
  clock.advance(600_001);
  expect(await outcome(other.browser, other.query)).toEqual(invalid);
});

test('two logins in two tabs of one browser do not disturb each other', async () => {
  const { app } = suite;
  const browser = openBrowser(app);
  const first = await browser.start();
  const second = await browser.start();
  const { id } = freshPerson();
  for (const started of [second, first]) {
    const answer = await browser.comeBack(await logInAtProvider(String(started.headers.location), id));
    expect((await browser.exchange(arrivalOf(answer).code)).status).toBe(200);
  }
});

test('a login that is canceled at the provider is refused, and a browser is led to the page that says so', async () => {
  const { app } = suite;
  const answer = await signOn(app, null);
  expect([answer.status, answer.body.error.code]).toEqual([401, 'AUTH.SSO_DENIED']);
  const browser = openBrowser(app);
  const html = { accept: 'text/html,application/xhtml+xml' };
  const started = await browser.start({ ability: 'admin', return_to: '/admin/tenants' }, html);
  const query = await logInAtProvider(String(started.headers.location), null);
  const page = await browser.comeBack(query, html);
  expect(page.status).toBe(303);
  expect(arrivalOf(page)).toEqual({
    ability: 'admin',
    next: '/admin/tenants',
    code: undefined,
    error: 'AUTH.SSO_DENIED',
  });
});

test('the old keys of the provider are not trusted after it has rotated them', async () => {
  const { app, provider } = suite;
  const { id } = freshPerson();
  expect((await signOnForToken(app, id)).status).toBe(200);
  await provider.rotateKeys();
  expect((await signOnForToken(app, id)).status).toBe(200);
});

test('starting, returning and exchanging are limited to ten a minute and address', async () => {
  const { app } = suite;
  const address = freshAddress();
  for (const [method, path] of [
    ['GET', 'start'],
    ['GET', 'callback?state=x'],
    ['POST', 'token'],
  ] as const) {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const url = `/api/v1/auth/oidc/${path}`;
      const payload = { code: 'x' };
      const { status } = await app.request({
        method,
        url,
        remoteAddress: address,
        ...(method === 'POST' && { payload }),
      });
      statuses.push(status);
    }
    expect(statuses.indexOf(429), path).toBe(10);
  }
});

test('the export and the erasure of an account contain its identities', async () => {
  const { app } = suite;
  const { id } = freshPerson();
  const { user } = (await signOnForToken(app, id)).body.data;
  const [holder] = app.services.personalData.platform.filter(({ section }) => section === 'identities');
  const page = await holder?.read(app.services, user, null);
  expect(page?.rows).toMatchObject([{ subject: id, email: user.email }]);
  await app.services.platform.transaction(async (tx) => holder?.erase(tx, user));
  expect(
    await app.services.platform.query.selectFrom('user_identities').select('id').where('subject', '=', id).execute(),
  ).toEqual([]);
});
