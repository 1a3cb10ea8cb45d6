import { TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { login } from '../accounts/people.ts';
import { type Account, createAdmin, createUser, testPassword } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { licensing } from './licensing.ts';

const suite = useApp();

/** Runs a command while the service runs. */
const run = (...args: readonly string[]) => licensing(args, suite.app.site.env);

async function protect({ auth: headers }: Account): Promise<void> {
  const send = (path: string, payload: object) =>
    suite.app.request({ method: 'POST', url: `/api/v1/auth/two-factor/${path}`, headers, payload });
  const { secret } = (await send('setup', { password: testPassword })).body.data;
  suite.app.secrets.note(secret);
  const confirmed = await send('confirm', { code: new TOTP({ secret }).generate() });
  if (confirmed.status !== 200) throw new Error(confirmed.text);
}

test.each([
  ['admins', 'admin', createAdmin],
  ['users', 'tenant', createUser],
] as const)('"%s reset-two-factor" turns off the second factor of that account only', async (who, ability, create) => {
  const person = await create(suite.app);
  await protect(person);
  const required = await login(suite.app, { email: person.email, ability });
  expect(required.body.error.code).toBe('AUTH.TWO_FACTOR_REQUIRED');
  const other = who === 'admins' ? 'users' : 'admins';
  expect(await run(other, 'reset-two-factor', '--email', person.email)).toMatchObject({ code: 1 });
  const reset = await run(who, 'reset-two-factor', '--email', person.email.toUpperCase());
  expect(reset).toMatchObject({ code: 0, stderr: expect.stringContaining('with the password only') });
  expect((await login(suite.app, { email: person.email, ability })).status).toBe(200);
  expect(await run(who, 'reset-two-factor', '--email', person.email)).toMatchObject({ code: 1 });
  expect(await run(who, 'reset-two-factor', '--email', 'nobody')).toMatchObject({ code: 2 });
});

test('"mails list" shows waiting and dead mail without its text, and "mails retry" sends it again', async () => {
  const { mail, platform, clock } = suite.app.services;
  await mail.deliverDue();
  expect(await run('mails', 'list')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('no such mail'),
  });
  const letter = { to: 'ada@example.com', subject: 'Hello', text: 'the secret link', html: '<p>the secret link</p>' };
  await platform.transaction((tx) => mail.enqueue(tx, letter));
  // Read before the decoy row exists, because ids of the same millisecond have no defined order.
  const row = await platform.query.selectFrom('mails').selectAll().executeTakeFirstOrThrow();
  await platform.transaction((tx) => mail.enqueue(tx, null));
  const dead = { ...row, id: newId(), last_error: '550 no', died_at: clock.now() };
  const { next_attempt_at: _next, ...deadRow } = dead;
  await platform.query.insertInto('dead_mails').values(deadRow).execute();
  const listed = await run('mails', 'list', '--json');
  expect(listed.stdout).not.toContain('secret link');
  const mails = listed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(mails).toEqual([
    expect.objectContaining({ id: row.id, state: 'waiting', to: 'ada@example.com', subject: 'Hello', attempts: 0 }),
    expect.objectContaining({ id: dead.id, state: 'dead', to: 'ada@example.com', last_error: '550 no' }),
  ]);
  const columns = await run('mails', 'list', '--dead');
  expect(columns.stdout).toBe(`${dead.id}  dead     ${dead.died_at}  0  ada@example.com  550 no\n`);
  expect(await run('mails', 'retry', dead.id)).toMatchObject({ code: 0 });
  expect(await run('mails', 'retry', dead.id)).toMatchObject({ code: 1 });
  expect(await run('mails', 'retry', 'dead')).toMatchObject({ code: 1 });
  expect(await run('mails', 'retry', 'x')).toMatchObject({ code: 2 });
  expect((await mail.deliverDue()).sent).toBe(2);
  expect(await platform.query.selectFrom('dead_mails').selectAll().execute()).toEqual([]);
});
