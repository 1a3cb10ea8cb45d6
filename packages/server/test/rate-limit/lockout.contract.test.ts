import { afterEach, describe, expect, inject, test } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { createLockout } from '../../src/rate-limit/lockout.ts';
import { createMemoryRateLimits } from '../../src/rate-limit/memory-rate-limits.ts';
import type { RateLimits } from '../../src/rate-limit/rate-limits.ts';
import { newValkeyDatabase } from '../support/valkey-server.ts';
import { openNode, type RateLimitNode } from './node.ts';

const pair = { account: 'tenant:ada@example.com', address: '192.0.2.1' };

const opened: RateLimitNode[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ limits }) => limits.close()));
});

async function openNodes(count: number, clock: Pick<Clock, 'nowMs'>): Promise<RateLimits[]> {
  const url = await newValkeyDatabase(inject('valkeyUrl'));
  const nodes = await Promise.all(Array.from({ length: count }, () => openNode(url, { clock, windowClock: clock })));
  opened.push(...nodes);
  return nodes.map(({ limits }) => limits);
}

type OpenLimits = (clock: Pick<Clock, 'nowMs'>) => RateLimits[] | Promise<RateLimits[]>;

const places: readonly [string, OpenLimits][] = [
  ['in memory', (clock) => [createMemoryRateLimits(clock)]],
  ['on one node with Valkey', (clock) => openNodes(1, clock)],
  ['alternating between two nodes', (clock) => openNodes(2, clock)],
];

const lockedFor = (seconds: number) => ({ code: 'AUTH.LOCKED_OUT', headers: { 'retry-after': String(seconds) } });

describe.each(places)('lockout %s', (_where, openLimits) => {
  async function setUp() {
    let nowMs = Date.UTC(2026, 10, 20);
    let checks = 0;
    let attempts = 0;
    const lockouts = (await openLimits({ nowMs: () => nowMs })).map((rateLimits) => createLockout(rateLimits));
    const attempt = (verify: () => Promise<string | null>, who = pair) => {
      const lockout = lockouts[attempts % lockouts.length];
      attempts += 1;
      if (lockout === undefined) throw new Error('The setup opened no node.');
      return lockout.attempt(who, verify);
    };
    const verifyTo = (subject: string | null) => async () => {
      checks += 1;
      await Promise.resolve();
      return subject;
    };
    return {
      attempt,
      fail: (who = pair) => attempt(verifyTo(null), who),
      succeed: (who = pair) => attempt(verifyTo('ada'), who),
      advanceMs(ms: number) {
        nowMs += ms;
      },
      checks: () => checks,
    };
  }

  test('the fifth failed login locks the pair of account and address for 15 minutes from then on', async () => {
    const { fail, succeed, advanceMs } = await setUp();
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

  test('a successful login resets the count of failures', async () => {
    const { fail, succeed } = await setUp();
    for (let round = 0; round < 3; round += 1) {
      for (let failure = 0; failure < 4; failure += 1) await fail();
      expect(await succeed()).toEqual({ subject: 'ada' });
    }
  });

  test('a lock does not affect another account or another address', async () => {
    const { fail, succeed } = await setUp();
    for (let failure = 0; failure < 5; failure += 1) await fail();
    expect(await succeed({ ...pair, address: '192.0.2.2' })).toEqual({ subject: 'ada' });
    expect(await succeed({ ...pair, account: 'admin:ada@example.com' })).toEqual({ subject: 'ada' });
  });

  test('50 parallel failed logins check only five passwords', async () => {
    const { fail, checks } = await setUp();
    const attempts = await Promise.allSettled(Array.from({ length: 50 }, () => fail()));
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(5);
    expect(checks()).toBe(5);
  });

  test('50 parallel correct logins all succeed', async () => {
    const { succeed } = await setUp();
    const attempts = await Promise.allSettled(Array.from({ length: 50 }, () => succeed()));
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(50);
  });

  test('a login that fails because of an outage does not count as a failure', async () => {
    const { fail, succeed, attempt } = await setUp();
    const broken = () => attempt(() => Promise.reject(new Error('the database is away')));
    for (let time = 0; time < 20; time += 1) await expect(broken()).rejects.toThrow('the database is away');
    for (let failure = 0; failure < 4; failure += 1) expect(await fail()).toEqual({ subject: null, locked: false });
    expect(await succeed()).toEqual({ subject: 'ada' });
  });
});
