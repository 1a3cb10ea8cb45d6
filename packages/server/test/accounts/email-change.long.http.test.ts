import { describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { listOwnerEmails } from '../../src/features/accounts/memberships/service.ts';
import {
  type Account,
  addUser,
  createAdmin,
  createTenant,
  createUser,
  freshAddress,
  logIn,
  testPassword,
} from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { oneTimeCode } from '../support/one-time-code.ts';
import { asUser } from './account-data.ts';
import { accept, auditOf, inviteMember, login, mailedLinks, me, post, postAs, register } from './people.ts';

const suite = useApp();
const clock = useClock();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const newPassword = 'a password that is new';
const linkInvalid = { status: 422, code: 'AUTH.LINK_INVALID' };

// The session of an admin does not last for the days that these tests advance the clock.
const newTenant = async () => ({ ...(await createTenant(suite.app, await createAdmin(suite.app))), name: 'Acme' });

const outcome = ({ status, body }: Awaited<ReturnType<typeof post>>) => ({ status, code: body.error?.code });
const change = (user: Account, email: string, fields: object = {}) =>
  asUser(suite.app, user, 'POST', '/email', { email, password: testPassword, ...fields });
const confirm = (token: string | undefined) => post(suite.app, '/change-email', { token });
const revert = (token: string | undefined) => post(suite.app, '/revert-email', { token });
const account = async (user: Account) => (await asUser(suite.app, user, 'GET', '')).body.data;

let addresses = 0;
const freshEmail = () => `new-${++addresses}@example.com`;

/** Requests a change and returns the tokens of both mails. */
async function requested(user: Account, to: string) {
  const from = (await account(user)).email;
  const answer = await change(user, to);
  expect(answer.status, answer.text).toBe(202);
  return {
    confirm: (await mailedLinks(suite.app, to))['/change-email'],
    revert: (await mailedLinks(suite.app, from))['/revert-email'],
  };
}

/** Requests and confirms a change and returns the token that reverts it. */
async function changed(user: Account, to: string): Promise<string | undefined> {
  const tokens = await requested(user, to);
  const answer = await confirm(tokens.confirm);
  expect([answer.status, answer.body.data], answer.text).toEqual([200, { email: to }]);
  return tokens.revert;
}

describe('a confirmed change of the address', () => {
  test('the new address logs in and the old one does not, other sessions end, and both steps are audited', async () => {
    const { app } = suite;
    const user = await createUser(app);
    const elsewhere = await logIn(app, user.email, 'tenant');
    const to = freshEmail();
    const tokens = await requested(user, to.toUpperCase());
    expect((await account(user)).email_change).toEqual({
      email: to,
      requested_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect((await account(user)).email).toBe(user.email);
    expect((await confirm(tokens.confirm)).body.data).toEqual({ email: to });
    expect(await account(user)).toMatchObject({ email: to, email_change: null, email_verified_at: expect.any(String) });
    const sessions = [user, elsewhere].map(async ({ auth }) => (await me(app, auth)).status);
    expect(await Promise.all(sessions)).toEqual([200, 401]);
    const logins = [to, user.email].map(async (email) => (await login(app, { email })).status);
    expect(await Promise.all(logins)).toEqual([200, 401]);
    expect(outcome(await confirm(tokens.confirm))).toEqual(linkInvalid);
    const records = (await auditOf(app, user.id)).map(({ event, changes_json }) => [event, JSON.parse(changes_json)]);
    expect(records).toEqual([
      ['ACCOUNT.EMAIL_CHANGE_REQUESTED', [{ field: 'email', old: user.email, new: to }]],
      ['ACCOUNT.EMAIL_CHANGED', expect.arrayContaining([{ field: 'email', old: user.email, new: to }])],
    ]);
  });

  test('links that were mailed to the old address stop working', async () => {
    const user = await createUser(suite.app);
    await post(suite.app, '/forgot-password', { email: user.email });
    const token = (await mailedLinks(suite.app, user.email))['/reset-password'];
    await changed(user, freshEmail());
    expect(outcome(await post(suite.app, '/reset-password', { token, password: newPassword }))).toEqual(linkInvalid);
  });

  test('an open invitation is mailed again to the new address, and its first link stops working', async () => {
    const { app } = suite;
    const tenant = await newTenant();
    const user = await createUser(app);
    const first = await inviteMember(app, tenant, user.email, 'admin');
    const to = freshEmail();
    await changed(user, to);
    expect(outcome(await accept(app, { token: first }))).toEqual(linkInvalid);
    const members = (await tenant.asOwner('GET', '/members')).body.data as { email: string; status: string }[];
    expect(members.filter(({ status }) => status === 'invited').map(({ email }) => email)).toEqual([to]);
    const { '/accept-invitation': token } = await mailedLinks(app, to);
    const joined = await accept(app, { token });
    expect(joined.body.data.user).toMatchObject({ id: user.id, email: to });
    const events = (await tenant.asOwner('GET', '/audit-logs')).body.data as { event: string }[];
    expect(events.map(({ event }) => event)).toContain('MEMBER.INVITATION_MOVED');
  });

  test('mails to the owners of a tenant, as about a missing payment, go to the new address', async () => {
    const tenant = await newTenant();
    const to = freshEmail();
    await changed(tenant.owner, to);
    expect(await listOwnerEmails(suite.app.services.platform, tenant.id)).toEqual([to]);
  });

  test('a mistyped address that was never verified can be changed, without a notice to its mailbox', async () => {
    const { app } = suite;
    const typo = freshEmail();
    await register(app, typo);
    const user = await logIn(app, typo, 'tenant');
    const before = (await mailsTo(app, typo)).length;
    const to = freshEmail();
    expect((await change(user, to)).status).toBe(202);
    expect(await mailsTo(app, typo)).toHaveLength(before);
    await confirm((await mailedLinks(app, to))['/change-email']);
    expect(await account(user)).toMatchObject({ email: to, email_verified_at: expect.any(String) });
    expect((await register(app, typo)).status).toBe(202);
    expect((await mailedLinks(app, typo))['/verify-email']).toEqual(expect.any(String));
  });
});

describe('the proof for a change of the address', () => {
  test('a wrong password, the present address and a malformed address are refused with the field', async () => {
    const user = await createUser(suite.app);
    const fields = [
      await change(user, freshEmail(), { password: 'wrong horse battery staple' }),
      await change(user, user.email.toUpperCase()),
      await change(user, 'nobody'),
    ].map(({ status, body }) => [status, body.error.details[0].field]);
    expect(fields).toEqual([
      [422, 'password'],
      [422, 'email'],
      [422, 'email'],
    ]);
    expect((await account(user)).email_change).toBeNull();
  });

  test('an account with two-factor login needs a code too', async () => {
    const { app } = suite;
    const user = await createUser(app);
    const setup = await postAs(app, user.auth, '/two-factor/setup', { password: testPassword });
    const { secret } = setup.body.data;
    await postAs(app, user.auth, '/two-factor/confirm', { code: oneTimeCode(secret) });
    const to = freshEmail();
    clock.advance(60_000);
    expect(outcome(await change(user, to))).toEqual({ status: 401, code: 'AUTH.TWO_FACTOR_REQUIRED' });
    expect(outcome(await change(user, to, { code: '000000' }))).toEqual({
      status: 401,
      code: 'AUTH.TWO_FACTOR_INVALID',
    });
    expect((await account(user)).email_change).toBeNull();
    expect((await change(user, to, { code: oneTimeCode(secret) })).status).toBe(202);
  });

  test('five wrong passwords lock the route, and more than ten requests per hour are refused', async () => {
    const user = await createUser(suite.app);
    const remoteAddress = freshAddress();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const payload = { email: freshEmail(), password: 'wrong horse battery staple' };
      const request = {
        method: 'POST',
        url: '/api/v1/account/email',
        headers: user.auth,
        payload,
        remoteAddress,
      } as const;
      statuses.push((await suite.app.request(request)).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429, 429, 429, 429, 429]);
    clock.advance(hourMs);
    expect((await change(user, freshEmail())).status).toBe(202);
  });
});

describe('the links of a change', () => {
  test('only the newest link confirms, once, and within 60 minutes', async () => {
    const user = await createUser(suite.app);
    const [first, second] = [freshEmail(), freshEmail()];
    const older = await requested(user, first);
    const newer = await requested(user, second);
    expect(outcome(await confirm(older.confirm))).toEqual(linkInvalid);
    expect(outcome(await revert(older.revert))).toEqual(linkInvalid);
    clock.advance(hourMs + 1);
    expect(outcome(await confirm(newer.confirm))).toEqual(linkInvalid);
    expect((await account(user)).email_change).toBeNull();
    const again = await requested(user, second);
    const answers = await Promise.all([confirm(again.confirm), confirm(again.confirm), confirm(again.confirm)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    expect((await account(user)).email).toBe(second);
  });

  test('a cancelled change can be neither confirmed nor reverted', async () => {
    const user = await createUser(suite.app);
    const tokens = await requested(user, freshEmail());
    const cancelled = await asUser(suite.app, user, 'DELETE', '/email');
    expect([cancelled.status, cancelled.body.data.email_change]).toEqual([200, null]);
    expect((await asUser(suite.app, user, 'DELETE', '/email')).status).toBe(200);
    expect(outcome(await confirm(tokens.confirm))).toEqual(linkInvalid);
    expect(outcome(await revert(tokens.revert))).toEqual(linkInvalid);
    const events = (await auditOf(suite.app, user.id)).map(({ event }) => event);
    expect(events).toEqual(['ACCOUNT.EMAIL_CHANGE_REQUESTED', 'ACCOUNT.EMAIL_CHANGE_CANCELLED']);
  });

  test('a new password cancels a change that is not confirmed', async () => {
    const user = await createUser(suite.app);
    const tokens = await requested(user, freshEmail());
    await post(suite.app, '/forgot-password', { email: user.email });
    const { '/reset-password': token } = await mailedLinks(suite.app, user.email);
    expect((await post(suite.app, '/reset-password', { token, password: newPassword })).status).toBe(200);
    expect(outcome(await confirm(tokens.confirm))).toEqual(linkInvalid);
  });

  test.each(['/change-email', '/revert-email'])(
    '%s refuses unknown tokens and more than six attempts',
    async (path) => {
      const remoteAddress = freshAddress();
      const statuses: number[] = [];
      for (const token of ['', 'x', 'null', 'x'.repeat(100), 'y', 'z', 'w']) {
        statuses.push((await post(suite.app, path, { token }, remoteAddress)).status);
      }
      expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
    },
  );
});

describe('an address of another account', () => {
  test('the response is the same, no link is sent, and the owner of the address gets a notice', async () => {
    const { app } = suite;
    const [user, other] = [await createUser(app), await addUser(app)];
    const free = freshEmail();
    const answers = [await change(user, free), await change(user, other.email)];
    const [forFree, forTaken] = answers.map(({ status, body }) => {
      const { email_change, ...rest } = body.data;
      return { status, rest, keys: Object.keys(email_change) };
    });
    expect(forTaken).toEqual(forFree);
    const mails = await mailsTo(app, other.email);
    expect(mails.at(-1)).toContain('entered for another account');
    expect(mails.join('')).not.toContain('#token=');
  });

  test('of two users who confirm the same address at once, exactly one gets it', async () => {
    for (let round = 0; round < 3; round += 1) {
      const users = [await createUser(suite.app), await createUser(suite.app)] as const;
      const to = freshEmail();
      const tokens = [(await requested(users[0], to)).confirm, (await requested(users[1], to)).confirm];
      const answers = await Promise.all(tokens.map(confirm));
      expect(
        answers
          .map(outcome)
          .map(({ code }) => code ?? 'ok')
          .sort(),
      ).toEqual(['ACCOUNT.EMAIL_TAKEN', 'ok']);
      const emails = await Promise.all(users.map(async (user) => (await account(user)).email));
      expect(emails.filter((email) => email === to)).toHaveLength(1);
    }
  });
});

describe('a reverted change', () => {
  test('the account gets its address back, and nobody stays logged in or knows the password', async () => {
    const { app } = suite;
    const user = await createUser(app);
    const thief = await logIn(app, user.email, 'tenant');
    const to = freshEmail();
    const token = await changed(thief, to);
    const setup = await postAs(app, thief.auth, '/two-factor/setup', { password: testPassword });
    await postAs(app, thief.auth, '/two-factor/confirm', { code: oneTimeCode(setup.body.data.secret) });
    await post(app, '/forgot-password', { email: to });
    const { '/reset-password': stolen } = await mailedLinks(app, to);
    clock.advance(7 * dayMs - 1000);
    const again = await login(app, { email: to, code: oneTimeCode(setup.body.data.secret) });
    expect(again.status).toBe(200);
    expect((await revert(token)).body.data).toEqual({ email: user.email });
    expect((await me(app, { authorization: `Bearer ${again.body.data.access_token}` })).status).toBe(401);
    const logins = [user.email, to].map(async (email) => (await login(app, { email })).status);
    expect(await Promise.all(logins)).toEqual([401, 401]);
    expect(outcome(await post(app, '/reset-password', { token: stolen, password: newPassword }))).toEqual(linkInvalid);
    expect((await mailsTo(app, to)).at(-1)).toContain('was removed from an account');
    const { '/reset-password': reset } = await mailedLinks(app, user.email);
    expect((await post(app, '/reset-password', { token: reset, password: newPassword })).status).toBe(200);
    expect((await login(app, { email: user.email, password: newPassword })).status).toBe(200);
    expect(outcome(await revert(token))).toEqual(linkInvalid);
    const events = (await auditOf(app, user.id)).map(({ event }) => event);
    expect(events).toEqual(expect.arrayContaining(['ACCOUNT.EMAIL_CHANGE_REVERTED', 'USER.TWO_FACTOR_RESET']));
  });

  test('a change that is not confirmed is cancelled by the same link, which also ends the sessions', async () => {
    const user = await createUser(suite.app);
    const tokens = await requested(user, freshEmail());
    expect((await revert(tokens.revert)).body.data).toEqual({ email: user.email });
    expect((await me(suite.app, user.auth)).status).toBe(401);
    expect(outcome(await confirm(tokens.confirm))).toEqual(linkInvalid);
    expect((await mailedLinks(suite.app, user.email))['/reset-password']).toEqual(expect.any(String));
  });

  test('the first address comes back after several changes, and the later links stop working', async () => {
    const user = await createUser(suite.app);
    const first = await changed(user, freshEmail());
    const later = await changed(user, freshEmail());
    expect((await revert(first)).body.data).toEqual({ email: user.email });
    expect(outcome(await revert(later))).toEqual(linkInvalid);
  });

  test('a change cannot be reverted after 7 days', async () => {
    const user = await createUser(suite.app);
    const token = await changed(user, freshEmail());
    clock.advance(7 * dayMs + 1);
    expect(outcome(await revert(token))).toEqual(linkInvalid);
  });

  test('an invitation that moved to the new address moves back', async () => {
    const { app } = suite;
    const tenant = await newTenant();
    const user = await createUser(app);
    await inviteMember(app, tenant, user.email, 'admin');
    const to = freshEmail();
    const token = await changed(user, to);
    const { '/accept-invitation': moved } = await mailedLinks(app, to);
    await revert(token);
    expect(outcome(await accept(app, { token: moved }))).toEqual(linkInvalid);
    const members = (await tenant.asOwner('GET', '/members')).body.data as { email: string; status: string }[];
    expect(members.filter(({ status }) => status === 'invited').map(({ email }) => email)).toEqual([user.email]);
  });
});

describe('the address that an account has left', () => {
  test('nobody can take it while the change can be reverted, and everybody afterwards', async () => {
    const { app } = suite;
    const [user, other] = [await createUser(app), await createUser(app)];
    await changed(user, freshEmail());
    expect((await register(app, user.email)).status).toBe(202);
    expect((await mailsTo(app, user.email)).at(-1)).toContain('still reserved');
    expect((await login(app, { email: user.email })).status).toBe(401);
    expect((await change(other, user.email)).status).toBe(202);
    expect(await mailedLinks(app, user.email)).not.toHaveProperty('/change-email');
    clock.advance(7 * dayMs + 1);
    await register(app, user.email);
    expect((await mailedLinks(app, user.email))['/verify-email']).toEqual(expect.any(String));
  });

  test('its user can go back to it', async () => {
    const user = await createUser(suite.app);
    await changed(user, freshEmail());
    await changed(user, user.email);
    expect((await account(user)).email).toBe(user.email);
  });

  test('if an invitation gave it to another account, the link disables the account that left it', async () => {
    const { app } = suite;
    const tenant = await newTenant();
    const user = await createUser(app);
    const token = await changed(user, freshEmail());
    const invitation = await inviteMember(app, tenant, user.email, 'viewer');
    expect((await accept(app, { token: invitation })).status).toBe(200);
    expect(outcome(await revert(token))).toEqual({ status: 409, code: 'ACCOUNT.EMAIL_TAKEN' });
    expect((await me(app, user.auth)).status).toBe(401);
  });
});

test('the daily job deletes changes that can be neither confirmed nor reverted, and keeps the confirmed ones', async () => {
  const { app } = suite;
  const { platform } = app.services;
  const user = await createUser(app);
  await changed(user, freshEmail());
  await requested(user, freshEmail());
  const { runner, sweep } = createBackgroundJobs(app.services);
  clock.advance(7 * dayMs + 1);
  await sweep.sweepNext();
  const due = { due_at: app.services.clock.now() };
  await platform.query.updateTable('jobs').set(due).where('kind', '=', 'identity-retention').execute();
  await runner.runDue();
  const rows = await platform.query.selectFrom('email_changes').select(['user_id', 'confirmed_at']).execute();
  expect(rows.filter(({ user_id }) => user_id === user.id)).toEqual([
    { user_id: user.id, confirmed_at: expect.any(String) },
  ]);
  expect(rows.filter(({ confirmed_at }) => confirmed_at === null)).toEqual([]);
});
