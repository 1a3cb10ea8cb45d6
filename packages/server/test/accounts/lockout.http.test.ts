import { expect, test } from 'vitest';
import { addAdmin, addUser, freshAddress } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { auditWithLoginsOf, login } from './people.ts';

const clock = useClock();
const suite = useApp();

const minuteMs = 60_000;
const wrong = { password: 'wrong horse battery staple' };

/** Fails five times, which locks the account for the address but does not reach the throttle of ten per minute. */
async function lock(email: string, address: string, ability: 'tenant' | 'admin' = 'tenant') {
  for (let failure = 1; failure <= 5; failure += 1) {
    expect((await login(suite.app, { email, ability, ...wrong }, address)).status).toBe(401);
  }
}

test('five failed logins lock the account for 15 minutes, even for the right password', async () => {
  const { app } = suite;
  const { email } = await addUser(app);
  const address = freshAddress();
  await lock(email, address);
  const locked = await login(app, { email }, address);
  expect({ status: locked.status, code: locked.body.error.code }).toEqual({ status: 429, code: 'AUTH.LOCKED_OUT' });
  expect(locked.headers['retry-after']).toBe('900');
  clock.advance(15 * minuteMs - 1);
  expect((await login(app, { email }, address)).status).toBe(429);
  clock.advance(1);
  expect((await login(app, { email }, address)).status).toBe(200);
});

test('a lockout ignores the case of the email address and affects no other account and no other client', async () => {
  const { app } = suite;
  const [{ email }, other] = [await addUser(app), await addUser(app)];
  const address = freshAddress();
  await lock(email, address);
  expect((await login(app, { email: email.toUpperCase() }, address)).status).toBe(429);
  expect((await login(app, { email: other.email }, address)).status).toBe(200);
  expect((await login(app, { email }, freshAddress())).status).toBe(200);
});

test('an email address without an account is locked out like an existing one', async () => {
  const address = freshAddress();
  await lock('nobody@example.com', address);
  expect((await login(suite.app, { email: 'nobody@example.com' }, address)).body.error.code).toBe('AUTH.LOCKED_OUT');
});

test('a successful login resets the count of failed logins', async () => {
  const { app } = suite;
  const { email } = await addUser(app);
  const address = freshAddress();
  for (let round = 0; round < 3; round += 1) {
    for (let failure = 1; failure <= 4; failure += 1) await login(app, { email, ...wrong }, address);
    expect((await login(app, { email }, address)).status).toBe(200);
    clock.advance(minuteMs);
  }
});

test('of 50 parallel logins the throttle refuses 40, the lockout refuses 5, and only 5 check a password', async () => {
  const { app } = suite;
  const { email } = await addUser(app);
  const address = freshAddress();
  const answers = await Promise.all(Array.from({ length: 50 }, () => login(app, { email, ...wrong }, address)));
  const counts = Object.groupBy(answers, ({ body }) => body.error.code as string);
  expect(counts['AUTH.INVALID_CREDENTIALS']).toHaveLength(5);
  expect(counts['AUTH.LOCKED_OUT']).toHaveLength(5);
  expect(counts['RATE_LIMIT.EXCEEDED']).toHaveLength(40);
});

test('ten parallel logins of one user with the right password all succeed', async () => {
  const { app } = suite;
  const { email } = await addUser(app);
  const address = freshAddress();
  const answers = await Promise.all(Array.from({ length: 10 }, () => login(app, { email }, address)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
});

test.each([
  ['admin', 'ADMIN', addAdmin],
  ['tenant', 'USER', addUser],
] as const)(
  "the platform's audit log records each failed login of the ability %s, and the lockout once",
  async (ability, resource, add) => {
    const { app } = suite;
    const { id, email } = await add(app);
    const address = freshAddress();
    await lock(email, address, ability);
    await login(app, { email, ability }, address);
    const events = (await auditWithLoginsOf(app, id))
      .map(({ event }) => event)
      .filter((event) => event.includes('.LO'));
    // The last failure and the lockout are recorded at the same time, so they have no order.
    expect(events.sort()).toEqual([`${resource}.LOCKED_OUT`, ...Array(5).fill(`${resource}.LOGIN_FAILED`)]);
  },
);
