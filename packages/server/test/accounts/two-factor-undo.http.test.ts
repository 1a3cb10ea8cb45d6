import { expect, test } from 'vitest';
import { type Account, createAdmin, createUser, logIn, testPassword } from '../support/accounts.ts';
import { type Answer, useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { oneTimeCode } from '../support/one-time-code.ts';
import { asUser } from './account-data.ts';
import { auditOf, login, mailedLinks, me, post, postAs } from './people.ts';

const suite = useApp();
const clock = useClock();
const dayMs = 86_400_000;
const newPassword = 'a password that is new';

const outcome = ({ status, body }: Answer) => ({ status, code: body.error?.code });
const linkInvalid = { status: 422, code: 'AUTH.LINK_INVALID' };
const undo = (token: string | undefined) => post(suite.app, '/undo-two-factor', { token });

/** Turns two-factor authentication on, and returns the token of the mail and the codes of the app. */
async function protect({ auth, email }: Account) {
  const { app } = suite;
  const setup = await postAs(app, auth, '/two-factor/setup', { password: testPassword });
  const code = () => oneTimeCode(setup.body.data.secret);
  expect((await postAs(app, auth, '/two-factor/confirm', { code: code() })).status).toBe(200);
  return { token: (await mailedLinks(app, email))['/undo-two-factor'], code };
}

test('the owner of the mailbox undoes a second factor that a thief turned on, and nobody stays logged in', async () => {
  const { app } = suite;
  const user = await createUser(app);
  const thief = await logIn(app, user.email, 'tenant');
  const { token, code } = await protect(thief);
  clock.advance(7 * dayMs - 1_000);
  const again = await login(app, { email: user.email, code: code() });
  expect(again.status).toBe(200);
  expect((await undo(token)).body.data).toEqual({ email: user.email });
  for (const bearer of [thief.auth, { authorization: `Bearer ${again.body.data.access_token}` }]) {
    expect((await me(app, bearer)).status).toBe(401);
  }
  expect((await login(app, { email: user.email })).status).toBe(401);
  const { '/reset-password': reset } = await mailedLinks(app, user.email);
  expect((await post(app, '/reset-password', { token: reset, password: newPassword })).status).toBe(200);
  expect((await login(app, { email: user.email, password: newPassword })).body.data.two_factor_enabled).toBe(false);
  expect((await auditOf(app, user.id)).map(({ event }) => event)).toContain('USER.TWO_FACTOR_RESET');
});

test('the link works once, for 7 days, and only for the app that it names', async () => {
  const { app } = suite;
  const user = await createUser(app);
  const { token } = await protect(user);
  expect((await undo(token)).status).toBe(200);
  expect(outcome(await undo(token))).toEqual(linkInvalid);
  const { '/reset-password': reset } = await mailedLinks(app, user.email);
  await post(app, '/reset-password', { token: reset, password: testPassword });
  const renewed = await protect(await logIn(app, user.email, 'tenant'));
  expect(outcome(await undo(token))).toEqual(linkInvalid);
  clock.advance(7 * dayMs + 1);
  expect(outcome(await undo(renewed.token))).toEqual(linkInvalid);
  expect(outcome(await login(app, { email: user.email }))).toEqual({ status: 401, code: 'AUTH.TWO_FACTOR_REQUIRED' });
});

test('the mailbox of a former address cannot undo it', async () => {
  const { app } = suite;
  const user = await createUser(app);
  const { token, code } = await protect(user);
  clock.advance(60_000);
  const to = 'moved-on@example.com';
  await asUser(app, user, 'POST', '/email', { email: to, password: testPassword, code: code() });
  const { '/change-email': confirmation } = await mailedLinks(app, to);
  expect((await post(app, '/change-email', { token: confirmation })).status).toBe(200);
  expect(outcome(await undo(token))).toEqual(linkInvalid);
});

test('a token that is forged or sealed for something else is refused', async () => {
  const { keyring } = suite.app.services;
  for (const token of ['x', 'x'.repeat(200), keyring.seal('a secret'), keyring.seal('["other","a","b","c"]')]) {
    expect(outcome(await undo(token))).toEqual(linkInvalid);
  }
});

test('the mail to an admin has no such link, because the mailbox alone gives no rights of an admin', async () => {
  const admin = await createAdmin(suite.app, 'admin');
  expect((await protect(admin)).token).toBeUndefined();
  expect((await mailsTo(suite.app, admin.email)).at(-1)).toContain('turned on');
});

test.each([
  ['ends when a later change of the address is undone', -1, 200],
  ['stays if its own link had expired before the request', 1, 401],
])('a second factor of a thief %s', async (_what, hours, status) => {
  const { app } = suite;
  const user = await createUser(app);
  const thief = await logIn(app, user.email, 'tenant');
  const { code } = await protect(thief);
  clock.advance(7 * dayMs + hours * 3_600_000);
  const to = `thief-${status}@example.com`;
  const request = await asUser(app, thief, 'POST', '/email', { email: to, password: testPassword, code: code() });
  expect(request.status, request.text).toBe(202);
  const { '/change-email': confirmation } = await mailedLinks(app, to);
  const { '/revert-email': token } = await mailedLinks(app, user.email);
  expect((await post(app, '/change-email', { token: confirmation })).status).toBe(200);
  expect((await post(app, '/revert-email', { token })).status).toBe(200);
  const { '/reset-password': reset } = await mailedLinks(app, user.email);
  expect((await post(app, '/reset-password', { token: reset, password: newPassword })).status).toBe(200);
  expect((await login(app, { email: user.email, password: newPassword })).status).toBe(status);
});
