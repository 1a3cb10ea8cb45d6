import { describe, expect, test } from 'vitest';
import { addUser, freshAddress, logIn } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { auditOf, login, mailedLinks, me, post, postAs, register } from './people.ts';

const clock = useClock();
const suite = useApp();

const firstPassword = 'the first one to register';
const ownPassword = 'the owner of the mailbox';

async function userOf(email: string) {
  return suite.app.services.platform.query.selectFrom('users').selectAll().where('email', '=', email).execute();
}

async function disable(email: string): Promise<void> {
  const { platform, clock: now } = suite.app.services;
  await platform.query.updateTable('users').set({ disabled_at: now.now() }).where('email', '=', email).execute();
}

describe('registering', () => {
  test('a registration creates a user who can log in and verify the address with the mailed link', async () => {
    const { app } = suite;
    const answer = await register(app, 'New.User@Example.com');
    expect({ status: answer.status, data: answer.body.data }).toEqual({ status: 202, data: { accepted: true } });
    const user = await logIn(app, 'new.user@example.com', 'tenant');
    expect((await me(app, user.auth)).body.data.user).toMatchObject({ name: 'Ada Lovelace', email_verified_at: null });
    const { '/verify-email': token } = await mailedLinks(app, 'new.user@example.com');
    const verified = await postAs(app, user.auth, '/email/verify', { token });
    expect(verified.status).toBe(200);
    expect(verified.body.data).toMatchObject({ id: user.id, email_verified_at: expect.any(String) });
    expect((await me(app, user.auth)).body.data.user.email_verified_at).toBe(verified.body.data.email_verified_at);
    const events = (await auditOf(app, user.id)).map(({ event, actor_id }) => [event, actor_id]);
    expect(events).toEqual([
      ['USER.REGISTERED', user.id],
      ['USER.EMAIL_VERIFIED', user.id],
    ]);
  });

  test('a registration with the address of an existing account changes nothing and notifies its owner', async () => {
    const { app } = suite;
    const { id, email } = await addUser(app);
    const before = await userOf(email);
    const answer = await register(app, email.toUpperCase(), { name: 'Eve', password: firstPassword });
    expect(answer.body.data).toEqual({ accepted: true });
    expect(await userOf(email)).toEqual(before);
    expect((await login(app, { email, password: firstPassword })).status).toBe(401);
    const [mail] = await mailsTo(app, email);
    expect(mail).toContain('already have an account');
    expect(Object.keys(await mailedLinks(app, email))).toEqual(['/reset-password']);
    expect((await auditOf(app, id)).at(-1)).toMatchObject({ event: 'USER.REGISTRATION_REPEATED', actor_id: null });
  });

  test('an unverified account that somebody else registered goes to the person who reads the mailbox', async () => {
    const { app } = suite;
    const email = 'victim@example.com';
    await register(app, email, { name: 'Eve', password: firstPassword });
    const eve = await login(app, { email, password: firstPassword });
    await register(app, email, { name: 'Victim', password: ownPassword });
    // Repeating the registration gives no access to the account, and the first registration loses its access below.
    expect((await login(app, { email, password: ownPassword })).status).toBe(401);
    expect((await userOf(email))[0]).toMatchObject({ name: 'Eve', email_verified_at: null });
    const links = await mailedLinks(app, email);
    expect(Object.keys(links).sort()).toEqual(['/reset-password', '/verify-email']);
    const reset = await post(app, '/reset-password', { token: links['/reset-password'], password: ownPassword });
    expect(reset.status).toBe(200);
    const eveHeaders = { authorization: `Bearer ${eve.body.data.access_token}` };
    expect((await me(app, eveHeaders)).status).toBe(401);
    expect((await login(app, { email, password: firstPassword })).status).toBe(401);
    const owner = await login(app, { email, password: ownPassword });
    expect(owner.body.data.user.email_verified_at).toEqual(expect.any(String));
  });

  test('a registration with the address of a disabled user sends no mail and has the same response', async () => {
    const { app } = suite;
    const { email } = await addUser(app);
    await disable(email);
    expect((await register(app, email)).body.data).toEqual({ accepted: true });
    expect((await post(app, '/forgot-password', { email })).body.data).toEqual({ accepted: true });
    await register(app, 'somebody-else@example.com');
    expect(await mailsTo(app, 'somebody-else@example.com')).toHaveLength(1);
    expect(await mailsTo(app, email)).toEqual([]);
  });

  test('ten concurrent registrations of one address create one user with the password of one of them', async () => {
    const { app } = suite;
    const email = 'parallel@example.com';
    const passwords = Array.from({ length: 10 }, (_, index) => `password number ${index}`);
    const answers = await Promise.all(passwords.map((password) => register(app, email, { password })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    expect(await userOf(email)).toHaveLength(1);
    const logins = await Promise.all(passwords.map((password) => login(app, { email, password })));
    expect(logins.filter(({ status }) => status === 200)).toHaveLength(1);
    // The limit of mail to one address.
    expect(await mailsTo(app, email)).toHaveLength(5);
  });

  test.each([
    [{ email: 'x' }, 'email'],
    [{ email: `${'a'.repeat(250)}@example.com` }, 'email'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, 'email'],
    [{ password: 'short' }, 'password'],
    [{ password: 'x'.repeat(257) }, 'password'],
    [{ name: '' }, 'name'],
    [{ name: ' Ada' }, 'name'],
    [{ email_verified_at: '2026-01-01T00:00:00Z' }, 'email_verified_at'],
  ])('a registration with %j is refused with status 422', async (fields, field) => {
    const answer = await register(suite.app, 'bad@example.com', fields);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.map((detail: { field: string }) => detail.field)).toContain(field);
  });
});

test.each(['/register', '/forgot-password', '/reset-password'])(
  'the route %s allows six requests per minute and client address',
  async (path) => {
    const address = freshAddress();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) statuses.push((await post(suite.app, path, {}, address)).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429, 429]);
    clock.advance(60_000);
    expect((await post(suite.app, path, {}, address)).status).toBe(422);
  },
);
