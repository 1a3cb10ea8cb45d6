import { describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { type Account, addUser, createUser, logIn, testPassword } from '../support/accounts.ts';
import { createSite, startApp, stopApp, useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { auditOf, login, mailedLinks, me, post, postAs, register } from './people.ts';

const clock = useClock();
const suite = useApp();

const hourMs = 3_600_000;
const newPassword = 'a password that is new';
const linkInvalid = { status: 422, code: 'AUTH.LINK_INVALID' };

const outcome = ({ status, body }: Awaited<ReturnType<typeof post>>) => ({ status, code: body.error?.code });
const forgot = (email: string) => post(suite.app, '/forgot-password', { email });
const reset = (token: string | undefined, password = newPassword) =>
  post(suite.app, '/reset-password', { token, password });

/** Requests a link to choose a password and returns its token. */
async function resetToken(email: string): Promise<string> {
  expect((await forgot(email)).body.data).toEqual({ accepted: true });
  return (await mailedLinks(suite.app, email))['/reset-password'] ?? '';
}

async function registered(email: string): Promise<Account & { readonly token: string; readonly link: string }> {
  await register(suite.app, email);
  const link = (await mailedLinks(suite.app, email))['/verify-email'] ?? '';
  return { ...(await logIn(suite.app, email, 'tenant')), link };
}

describe('a link to choose a password', () => {
  test('a link to choose a password works once, ends every session and notifies the user by mail', async () => {
    const { app } = suite;
    const user = await createUser(app);
    const token = await resetToken(user.email.toUpperCase());
    const answer = await reset(token);
    expect({ status: answer.status, data: answer.body.data }).toEqual({ status: 200, data: { password_set: true } });
    expect((await me(app, user.auth)).status).toBe(401);
    expect((await login(app, { email: user.email })).status).toBe(401);
    expect((await login(app, { email: user.email, password: newPassword })).status).toBe(200);
    expect((await mailsTo(app, user.email)).at(-1)).toContain('was changed on');
    expect(outcome(await reset(token))).toEqual(linkInvalid);
    const events = (await auditOf(app, user.id)).map(({ event, actor_id }) => [event, actor_id]);
    expect(events).toEqual([
      ['USER.PASSWORD_RESET_REQUESTED', null],
      ['USER.PASSWORD_RESET', user.id],
    ]);
  });

  test('choosing a password verifies the address and invalidates the link that verifies it', async () => {
    const { app } = suite;
    const user = await registered('unverified@example.com');
    expect((await reset(await resetToken(user.email))).status).toBe(200);
    const again = await login(app, { email: user.email, password: newPassword });
    expect(again.body.data.user.email_verified_at).toEqual(expect.any(String));
    const headers = { authorization: `Bearer ${again.body.data.access_token}` };
    expect(outcome(await postAs(app, headers, '/email/verify', { token: user.link }))).toEqual(linkInvalid);
  });

  test('concurrent uses of one link to choose a password set exactly one password', async () => {
    const { app } = suite;
    for (let round = 0; round < 5; round += 1) {
      const { email } = await addUser(app);
      const token = await resetToken(email);
      const passwords = Array.from({ length: 4 }, (_, index) => `password number ${index}`);
      const answers = await Promise.all(passwords.map((password) => reset(token, password)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
      const logins = await Promise.all(passwords.map((password) => login(app, { email, password })));
      const winner = answers.findIndex(({ status }) => status === 200);
      expect(logins.map(({ status }) => status === 200)).toEqual(answers.map((_, index) => index === winner));
    }
  });

  test('a link to choose a password ends with its use, after 60 minutes and for a disabled user', async () => {
    const { app } = suite;
    const { email } = await addUser(app);
    const first = await resetToken(email);
    const second = await resetToken(email);
    clock.advance(hourMs + 1);
    expect(outcome(await reset(first))).toEqual(linkInvalid);
    expect(outcome(await reset(second))).toEqual(linkInvalid);
    const third = await resetToken(email);
    clock.advance(hourMs - 1);
    const { platform, clock: now } = app.services;
    const disabledAt = (moment: string | null) =>
      platform.query.updateTable('users').set({ disabled_at: moment }).where('email', '=', email).execute();
    await disabledAt(now.now());
    expect(outcome(await reset(third))).toEqual(linkInvalid);
    await disabledAt(null);
    expect((await reset(third)).status).toBe(200);
  });

  test('no link to choose a password is sent to an unknown address', async () => {
    expect((await forgot('nobody@example.com')).body.data).toEqual({ accepted: true });
    expect(await mailsTo(suite.app, 'nobody@example.com')).toEqual([]);
  });

  test.each(['', 'x', 'x'.repeat(100), 'null'])('the token %j is refused for choosing a password', async (token) => {
    expect((await reset(token)).status).toBe(422);
  });
});

describe('a link that verifies an address', () => {
  test('a link that verifies an address works once, and only for its user', async () => {
    const { app } = suite;
    const [ann, bob] = [await registered('ann@example.com'), await registered('bob@example.com')];
    const verify = (user: Account, token: string | undefined) => postAs(app, user.auth, '/email/verify', { token });
    expect(outcome(await verify(bob, ann.link))).toEqual(linkInvalid);
    const resent = await postAs(app, ann.auth, '/email/resend');
    expect({ status: resent.status, data: resent.body.data }).toEqual({ status: 202, data: { accepted: true } });
    const { '/verify-email': newer } = await mailedLinks(app, ann.email);
    const answers = await Promise.all([verify(ann, newer), verify(ann, newer), verify(ann, newer)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    expect((await verify(bob, bob.link)).status).toBe(200);
    const events = (await auditOf(app, ann.id)).map(({ event }) => event);
    expect(events).toEqual(['USER.REGISTERED', 'USER.VERIFICATION_RESENT', 'USER.EMAIL_VERIFIED']);
  });

  test('a link that verifies an address expires after 60 minutes and cannot set a password', async () => {
    const user = await registered('late@example.com');
    expect(outcome(await reset(user.link))).toEqual(linkInvalid);
    clock.advance(hourMs + 1);
    expect(outcome(await postAs(suite.app, user.auth, '/email/verify', { token: user.link }))).toEqual(linkInvalid);
  });

  test('no verification link is sent to a verified address, and at most three per minute to others', async () => {
    const { app } = suite;
    const verified = await createUser(app);
    expect((await postAs(app, verified.auth, '/email/resend')).status).toBe(202);
    expect(await mailsTo(app, verified.email)).toEqual([]);
    const user = await registered('eager@example.com');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      statuses.push((await postAs(app, user.auth, '/email/resend')).status);
    }
    expect(statuses).toEqual([202, 202, 202, 429, 429]);
  });

  test('verifying an address requires a logged-in user', async () => {
    const user = await registered('away@example.com');
    const answers = [
      await post(suite.app, '/email/verify', { token: user.link }),
      await post(suite.app, '/email/resend', {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });
});

test('a mailed link stays valid after the application key is rotated', async () => {
  const site = await createSite();
  try {
    const before = await startApp(site);
    await register(before, 'rotated@example.com');
    const { '/verify-email': token } = await mailedLinks(before, 'rotated@example.com');
    await stopApp(before);
    const keys = { APP_KEY: 'another-application-key-0123456789', APP_PREVIOUS_KEYS: String(site.env['APP_KEY']) };
    const app = await startApp(site, keys);
    const user = await logIn(app, 'rotated@example.com', 'tenant');
    expect((await postAs(app, user.auth, '/email/verify', { token })).status).toBe(200);
    await stopApp(app);
  } finally {
    await site.remove();
  }
});

test('the daily job deletes only expired tokens and links', async () => {
  const { app } = suite;
  const { platform } = app.services;
  const user = await createUser(app);
  await resetToken(user.email);
  const open = await createUser(app);
  const { runner, sweep } = createBackgroundJobs(app.services);
  clock.advance(31 * 24 * hourMs);
  const fresh = await login(app, { email: open.email, password: testPassword });
  await resetToken(open.email);
  await sweep.sweepNext();
  clock.advance(hourMs / 2);
  // The sweep schedules the daily job at a random time within the next 24 hours.
  await platform.query
    .updateTable('jobs')
    .set({ due_at: app.services.clock.now() })
    .where('kind', '=', 'identity-retention')
    .execute();
  await runner.runDue();
  const tokens = await platform.query.selectFrom('access_tokens').select('subject_id').execute();
  expect(tokens.map(({ subject_id }) => subject_id)).toEqual([open.id]);
  const links = await platform.query.selectFrom('mail_links').select('user_id').execute();
  expect(links.map(({ user_id }) => user_id)).toEqual([open.id]);
  expect((await me(app, { authorization: `Bearer ${fresh.body.data.access_token}` })).status).toBe(200);
});
