import { afterEach, describe, expect, inject, test } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { createLockout } from '../../src/rate-limit/lockout.ts';
import { createMemoryRateLimits } from '../../src/rate-limit/memory-rate-limits.ts';
import type { RateLimits } from '../../src/rate-limit/rate-limits.ts';
import { newValkeyDatabase } from '../support/valkey-server.ts';
import { openNode, type RateLimitNode } from './node.ts';

const startMs = Date.UTC(2026, 10, 20);
const threeAMinute = { limit: 3, windowSeconds: 60 };

interface Setup {
  readonly limits: RateLimits;
  advanceMs(ms: number): void;
}

const opened: RateLimitNode[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ limits }) => limits.close()));
});

function setUpMemory(maxWindows?: number): Setup {
  let nowMs = startMs;
  const advanceMs = (ms: number) => {
    nowMs += ms;
  };
  return { limits: createMemoryRateLimits({ nowMs: () => nowMs }, maxWindows), advanceMs };
}

async function setUpValkey(): Promise<Setup> {
  let nowMs = startMs;
  const clock = { nowMs: () => nowMs };
  const node = await openNode(await newValkeyDatabase(inject('valkeyUrl')), { clock, windowClock: clock });
  opened.push(node);
  const advanceMs = (ms: number) => {
    nowMs += ms;
  };
  return { limits: node.limits, advanceMs };
}

describe.each([
  ['in memory', async () => setUpMemory()],
  ['in Valkey', setUpValkey],
])('rate limits %s', (_where, setUp: () => Promise<Setup>) => {
  describe('consume', () => {
    test('consume allows exactly the limit and returns when the window ends', async () => {
      const { limits, advanceMs } = await setUp();
      expect(await limits.consume('login', 'a', threeAMinute)).toEqual({
        allowed: true,
        limit: 3,
        remaining: 2,
        resetAtMs: startMs + 60_000,
        retryAfterSeconds: 60,
      });
      advanceMs(10_500);
      await limits.consume('login', 'a', threeAMinute);
      expect(await limits.consume('login', 'a', threeAMinute)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await limits.consume('login', 'a', threeAMinute)).toMatchObject({ allowed: false, retryAfterSeconds: 50 });
    });

    test('openWindow returns all hits, including refused ones, without counting, until the window ends', async () => {
      const { limits, advanceMs } = await setUp();
      expect(await limits.openWindow('login', 'a')).toBeNull();
      const { resetAtMs } = await limits.consume('login', 'a', threeAMinute);
      for (let hit = 1; hit < 4; hit += 1) await limits.consume('login', 'a', threeAMinute);
      expect(await limits.openWindow('login', 'a')).toEqual({ hits: 4, resetAtMs });
      expect([await limits.openWindow('login', 'b'), await limits.openWindow('other', 'a')]).toEqual([null, null]);
      advanceMs(60_000);
      expect(await limits.openWindow('login', 'a')).toBeNull();
    });

    test('the first hit opens the window, and later hits do not extend it', async () => {
      const { limits, advanceMs } = await setUp();
      for (let hit = 0; hit < 5; hit += 1) await limits.consume('login', 'a', threeAMinute);
      advanceMs(59_999);
      expect(await limits.consume('login', 'a', threeAMinute)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
      advanceMs(1);
      expect(await limits.consume('login', 'a', threeAMinute)).toMatchObject({
        allowed: true,
        remaining: 2,
        resetAtMs: startMs + 120_000,
      });
    });

    test('windows of different names and keys count separately', async () => {
      const { limits } = await setUp();
      for (let hit = 0; hit < 3; hit += 1) await limits.consume('login', 'a', threeAMinute);
      expect(await limits.consume('login', 'b', threeAMinute)).toMatchObject({ remaining: 2 });
      expect(await limits.consume('reset', 'a', threeAMinute)).toMatchObject({ remaining: 2 });
    });

    test('a changed limit applies to the open window', async () => {
      const { limits } = await setUp();
      await limits.consume('tenant', 'a', { limit: 10, windowSeconds: 60 });
      await limits.consume('tenant', 'a', { limit: 10, windowSeconds: 60 });
      expect(await limits.consume('tenant', 'a', { limit: 2, windowSeconds: 60 })).toMatchObject({ allowed: false });
      expect(await limits.consume('tenant', 'a', { limit: 5, windowSeconds: 60 })).toMatchObject({ remaining: 1 });
    });

    test('of 50 parallel hits exactly the limit is allowed', async () => {
      const { limits } = await setUp();
      const hits = await Promise.all(
        Array.from({ length: 50 }, async () => limits.consume('login', 'a', threeAMinute)),
      );
      expect(hits.filter((hit) => hit.allowed)).toHaveLength(3);
    });
  });

  test('consumeInTurn counts several hits in order and stops after the first refused one', async () => {
    const { limits } = await setUp();
    const hits = [
      { name: 'key', key: 'a', window: { limit: 1, windowSeconds: 60 } },
      { name: 'tenant', key: 'a', window: { limit: 9, windowSeconds: 60 } },
    ];
    const [ofKey, ofTenant, ...more] = await limits.consumeInTurn(hits);
    expect([ofKey, ofTenant, more]).toMatchObject([{ remaining: 0 }, { allowed: true, remaining: 8 }, []]);
    expect(await limits.consumeInTurn(hits)).toMatchObject([{ allowed: false, limit: 1 }]);
    expect(await limits.openWindow('tenant', 'a')).toMatchObject({ hits: 1 });
  });

  test('block refuses hits for a whole window from now on, and reset ends the block', async () => {
    const { limits, advanceMs } = await setUp();
    await limits.consume('lock', 'a', threeAMinute);
    advanceMs(30_000);
    await limits.block('lock', 'a', threeAMinute);
    expect(await limits.consume('lock', 'a', threeAMinute)).toMatchObject({ allowed: false, retryAfterSeconds: 60 });
    await limits.reset('lock', 'a');
    expect(await limits.consume('lock', 'a', threeAMinute)).toMatchObject({ allowed: true, remaining: 2 });
  });

  test('a refunded hit does not count, and a refund without a hit has no effect', async () => {
    const { limits } = await setUp();
    await limits.refund('login', 'a');
    await limits.consume('login', 'a', threeAMinute);
    await limits.refund('login', 'a');
    await limits.refund('login', 'a');
    expect(await limits.consume('login', 'a', threeAMinute)).toMatchObject({ remaining: 2 });
  });
});

describe('memory stays bounded', () => {
  test('at the maximum number of windows, a new one replaces the one that would end next', async () => {
    const { limits, advanceMs } = setUpMemory(2);
    for (const key of ['a', 'b', 'c']) {
      await limits.consume('login', key, threeAMinute);
      advanceMs(1);
    }
    expect(await limits.consume('login', 'b', threeAMinute)).toMatchObject({ remaining: 1 });
    expect(await limits.consume('login', 'a', threeAMinute)).toMatchObject({ remaining: 2 });
  });

  test('many windows of one name never evict a window of another name', async () => {
    const { limits } = setUpMemory(10);
    await limits.consume('tenant', 'a', threeAMinute);
    for (let index = 0; index < 1000; index += 1) await limits.consume('login', `address-${index}`, threeAMinute);
    expect(await limits.consume('tenant', 'a', threeAMinute)).toMatchObject({ remaining: 1 });
  });
});

const pair = { account: 'tenant:ada@example.com', address: '192.0.2.1' };

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
