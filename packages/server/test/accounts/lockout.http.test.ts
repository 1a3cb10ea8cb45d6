import { expect, test } from 'vitest';
import { addAdmin, addUser, freshAddress } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { auditOf, login } from './people.ts';

const clock = useClock();
const suite = useApp();

const minuteMs = 60_000;
const wrong = { password: 'wrong horse battery staple' };

/** Fails as often as it takes to lock the pair; the throttle of ten a minute is not reached. */
async function lock(email: string, address: string, ability: 'tenant' | 'admin' = 'tenant') {
  for (let failure = 1; failure <= 5; failure += 1) {
    expect((await login(suite.app, { email, ability, ...wrong }, address)).status).toBe(401);
  }
}

test('five failures lock the account for 15 minutes, for the right password too', async () => {
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

test('the lock holds for the address in another case, and for nobody else', async () => {
  const { app } = suite;
  const [{ email }, other] = [await addUser(app), await addUser(app)];
  const address = freshAddress();
  await lock(email, address);
  expect((await login(app, { email: email.toUpperCase() }, address)).status).toBe(429);
  expect((await login(app, { email: other.email }, address)).status).toBe(200);
  expect((await login(app, { email }, freshAddress())).status).toBe(200);
});

test('an address that no account has is locked like one that exists', async () => {
  const address = freshAddress();
  await lock('nobody@example.com', address);
  expect((await login(suite.app, { email: 'nobody@example.com' }, address)).body.error.code).toBe('AUTH.LOCKED_OUT');
});

test('a success forgets the failures before it', async () => {
  const { app } = suite;
  const { email } = await addUser(app);
  const address = freshAddress();
  for (let round = 0; round < 3; round += 1) {
    for (let failure = 1; failure <= 4; failure += 1) await login(app, { email, ...wrong }, address);
    expect((await login(app, { email }, address)).status).toBe(200);
    clock.advance(minuteMs);
  }
});

test('50 parallel attempts check five passwords: the throttle stops forty, the lock five', async () => {
  const { app } = suite;
  const { email } = await addUser(app);
  const address = freshAddress();
  const answers = await Promise.all(Array.from({ length: 50 }, () => login(app, { email, ...wrong }, address)));
  const counts = Object.groupBy(answers, ({ body }) => body.error.code as string);
  expect(counts['AUTH.INVALID_CREDENTIALS']).toHaveLength(5);
  expect(counts['AUTH.LOCKED_OUT']).toHaveLength(5);
  expect(counts['RATE_LIMIT.EXCEEDED']).toHaveLength(40);
});

test('ten parallel logins of one person all succeed', async () => {
  const { app } = suite;
  const { email } = await addUser(app);
  const address = freshAddress();
  const answers = await Promise.all(Array.from({ length: 10 }, () => login(app, { email }, address)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
});

test('failures and the lockout of an admin are in the platform log, the lockout once', async () => {
  const { app } = suite;
  const admin = await addAdmin(app);
  const address = freshAddress();
  await lock(admin.email, address, 'admin');
  await login(app, { email: admin.email, ability: 'admin' }, address);
  const events = (await auditOf(app, admin.id)).map(({ event }) => event);
  expect(events).toEqual(['ADMIN.CREATED', ...Array(5).fill('ADMIN.LOGIN_FAILED'), 'ADMIN.LOCKED_OUT']);
});
