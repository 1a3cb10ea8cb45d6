import { expect, test } from 'vitest';
import { createLockout } from './lockout.ts';
import { createMemoryRateLimits } from './rate-limits.ts';

const pair = { account: 'tenant:ada@example.com', address: '192.0.2.1' };

function setUp() {
  let nowMs = Date.UTC(2026, 10, 20);
  let checks = 0;
  const lockout = createLockout({ rateLimits: createMemoryRateLimits({ nowMs: () => nowMs }) });
  const answer = (subject: string | null) => async () => {
    checks += 1;
    await Promise.resolve();
    return subject;
  };
  return {
    lockout,
    fail: (attempt = pair) => lockout.attempt(attempt, answer(null)),
    succeed: (attempt = pair) => lockout.attempt(attempt, answer('ada')),
    advanceMs: (ms: number) => (nowMs += ms),
    checks: () => checks,
  };
}

const lockedFor = (seconds: number) => ({ code: 'AUTH.LOCKED_OUT', headers: { 'retry-after': String(seconds) } });

test('the fifth failure locks the pair for 15 minutes from then on', async () => {
  const { fail, succeed, advanceMs } = setUp();
  for (let failure = 1; failure <= 4; failure += 1) {
    expect(await fail()).toEqual({ subject: null, locked: false });
    advanceMs(60_000);
  }
  expect(await fail()).toEqual({ subject: null, locked: true });
  await expect(succeed()).rejects.toMatchObject(lockedFor(900));
  advanceMs(899_999);
  await expect(succeed()).rejects.toMatchObject(lockedFor(1));
  advanceMs(1);
  expect(await succeed()).toEqual({ subject: 'ada' });
});

test('a success forgets the failures before it', async () => {
  const { fail, succeed } = setUp();
  for (let round = 0; round < 3; round += 1) {
    for (let failure = 0; failure < 4; failure += 1) await fail();
    expect(await succeed()).toEqual({ subject: 'ada' });
  }
});

test('another account and another address are not locked', async () => {
  const { fail, succeed } = setUp();
  for (let failure = 0; failure < 5; failure += 1) await fail();
  expect(await succeed({ ...pair, address: '192.0.2.2' })).toEqual({ subject: 'ada' });
  expect(await succeed({ ...pair, account: 'admin:ada@example.com' })).toEqual({ subject: 'ada' });
});

test('50 parallel failures check five passwords', async () => {
  const { fail, checks } = setUp();
  const attempts = await Promise.allSettled(Array.from({ length: 50 }, () => fail()));
  expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(5);
  expect(checks()).toBe(5);
});

test('50 parallel successes all get in', async () => {
  const { succeed } = setUp();
  const attempts = await Promise.allSettled(Array.from({ length: 50 }, () => succeed()));
  expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(50);
});

test('a check that an outage prevented counts as no failure and holds up nobody', async () => {
  const { fail, succeed, lockout } = setUp();
  const broken = () => lockout.attempt(pair, () => Promise.reject(new Error('the database is away')));
  for (let attempt = 0; attempt < 20; attempt += 1) await expect(broken()).rejects.toThrow('the database is away');
  for (let failure = 0; failure < 4; failure += 1) expect(await fail()).toEqual({ subject: null, locked: false });
  expect(await succeed()).toEqual({ subject: 'ada' });
});
