import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { selfSigned } from '../support/self-signed.ts';
import { newValkeyDatabase, onValkey, startValkey } from '../support/valkey-server.ts';
import { openNode, type RateLimitNode } from './node.ts';

const aMinute = (limit: number) => ({ limit, windowSeconds: 60 });

const opened: RateLimitNode[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ limits }) => limits.close()));
});

const newDatabase = () => newValkeyDatabase(inject('valkeyUrl'));

async function open(url: string, options: Parameters<typeof openNode>[1] = {}): Promise<RateLimitNode> {
  const node = await openNode(url, options);
  opened.push(node);
  return node;
}

async function twoNodes(): Promise<[RateLimitNode, RateLimitNode]> {
  const url = await newDatabase();
  return [await open(url), await open(url)];
}

const inParallel = <Result>(times: number, work: (time: number) => Result | Promise<Result>) =>
  Promise.all(Array.from({ length: times }, async (_, time) => work(time)));

describe('nodes on one Valkey', () => {
  test('two nodes on one Valkey allow exactly the limit of 50 parallel hits', async () => {
    const nodes = await twoNodes();
    const hits = await inParallel(50, (time) => nodes[time % 2]?.limits.consume('tenant', 'a', aMinute(30)));
    expect(hits.filter((hit) => hit?.allowed)).toHaveLength(30);
    expect(hits.map((hit) => hit?.remaining).sort((left = 0, right = 0) => right - left)).toEqual([
      ...Array.from({ length: 30 }, (_, at) => 29 - at),
      ...Array(20).fill(0),
    ]);
  });

  test('a node sees what another node consumed, refunded, blocked and reset', async () => {
    const [one, other] = await twoNodes();
    await one.limits.consume('lock', 'a', aMinute(3));
    expect(await other.limits.openWindow('lock', 'a')).toMatchObject({ hits: 1 });
    await one.limits.refund('lock', 'a');
    expect(await other.limits.openWindow('lock', 'a')).toMatchObject({ hits: 0 });
    await one.limits.block('lock', 'a', aMinute(3));
    expect(await other.limits.consume('lock', 'a', aMinute(3))).toMatchObject({ allowed: false });
    await one.limits.reset('lock', 'a');
    expect(await other.limits.consume('lock', 'a', aMinute(3))).toMatchObject({ allowed: true, remaining: 2 });
  });

  test('nodes whose clocks differ by hours share one window, which ends by the clock of Valkey', async () => {
    const url = await newDatabase();
    const hourMs = 3_600_000;
    const [slow, fast] = [
      await open(url, { clock: { nowMs: () => Date.now() - hourMs } }),
      await open(url, { clock: { nowMs: () => Date.now() + hourMs } }),
    ];
    const second = { limit: 2, windowSeconds: 1 };
    await slow.limits.consume('tenant', 'a', second);
    const last = await fast.limits.consume('tenant', 'a', second);
    expect(last).toMatchObject({ allowed: true, remaining: 0, retryAfterSeconds: 1 });
    expect(last.resetAtMs - hourMs - Date.now()).toBeLessThanOrEqual(1000);
    expect(await slow.limits.consume('tenant', 'a', second)).toMatchObject({ allowed: false });
    await eventually(async () => expect(await fast.limits.openWindow('tenant', 'a')).toBeNull());
    expect(await slow.limits.consume('tenant', 'a', second)).toMatchObject({ allowed: true, remaining: 1 });
  });

  test('each node knows the number of live nodes, and a stopped node no longer counts', async () => {
    const url = await newDatabase();
    const [one, other] = [await open(url), await open(url)];
    expect([one.store(), other.store()]).toEqual([
      { isUp: true, nodes: 1 },
      { isUp: true, nodes: 2 },
    ]);
    await eventually(() => expect(one.store().nodes).toBe(2));
    await other.limits.close();
    expect(await onValkey(url, ['ZCARD', 'licensing:nodes'])).toBe(1);
  });

  test('every key that nodes store in Valkey expires', async () => {
    const url = await newDatabase();
    const { limits } = await open(url);
    await limits.consume('tenant', 'a', aMinute(3));
    await limits.block('lock', 'a', aMinute(3));
    const keys = (await onValkey(url, ['KEYS', '*'])) as string[];
    expect(keys.sort()).toEqual(['licensing:nodes', 'licensing:window:lock:a', 'licensing:window:tenant:a']);
    for (const key of keys) expect(await onValkey(url, ['PTTL', key])).toBeGreaterThan(0);
  });
});

describe('an outage of Valkey', () => {
  test('during an outage each of two nodes allows half of the limit and warns once; afterwards they share it again', async () => {
    const valkey = await startValkey();
    try {
      const [one, other] = [await open(valkey.url), await open(valkey.url)];
      await eventually(() => expect(one.store().nodes).toBe(2));
      await valkey.kill();
      for (const { limits, store } of [one, other]) {
        const hits = await inParallel(50, () => limits.consume('tenant', 'a', aMinute(20)));
        expect(hits.filter(({ allowed }) => allowed)).toHaveLength(10);
        expect(hits.at(-1)).toMatchObject({ limit: 20, remaining: 0, allowed: false });
        expect(await limits.consume('tiny', 'a', aMinute(1))).toMatchObject({ allowed: true });
        expect(store()).toEqual({ isUp: false, nodes: 2 });
      }
      await one.limits.block('lock', 'a', aMinute(5));
      await valkey.restart();
      await eventually(() => expect([one.store().isUp, other.store().isUp]).toEqual([true, true]));

      // The hits that each node counted alone are added to the shared window.
      expect(await one.limits.consume('tenant', 'a', aMinute(120))).toMatchObject({ remaining: 69 });
      expect(await other.limits.consume('tenant', 'a', aMinute(120))).toMatchObject({ remaining: 18 });
      expect(await one.limits.consume('tenant', 'a', aMinute(120))).toMatchObject({ remaining: 17 });
      expect(await one.limits.consume('lock', 'a', aMinute(5))).toMatchObject({ allowed: false });
      expect(await other.limits.consume('lock', 'a', aMinute(5))).toMatchObject({ allowed: false });
      for (const { warnings, counts } of [one, other]) {
        expect(warnings).toEqual([
          expect.stringMatching(/^Valkey is unavailable: .*share/),
          expect.stringMatching(/^Valkey is available again/),
        ]);
        expect(counts).toEqual({ ownHits: 51, outages: 1 });
      }
    } finally {
      await valkey.stop();
    }
  });

  test('during an outage a node allows its share of the remaining hits, and locks stay in force', async () => {
    const valkey = await startValkey();
    try {
      const [one, other] = [await open(valkey.url), await open(valkey.url)];
      await eventually(() => expect(one.store().nodes).toBe(2));
      await inParallel(12, () => one.limits.consume('tenant', 'a', aMinute(20)));
      await other.limits.block('lock', 'a', aMinute(5));
      await one.limits.consume('lock', 'a', aMinute(5));
      await valkey.kill();
      const hits = await inParallel(10, () => one.limits.consume('tenant', 'a', aMinute(20)));
      expect(hits.filter(({ allowed }) => allowed)).toHaveLength(4);
      for (const { limits } of [one, other]) {
        expect(await limits.consume('lock', 'a', aMinute(5))).toMatchObject({ allowed: false });
      }
    } finally {
      await valkey.stop();
    }
  });

  test('a hanging Valkey delays only the hits in flight, and later hits are counted without waiting', async () => {
    const valkey = await startValkey();
    try {
      const { limits, store, warnings } = await open(valkey.url);
      valkey.pause();
      const first = await inParallel(100, () => limits.consume('tenant', 'a', aMinute(1000)));
      expect(first.every(({ allowed }) => allowed)).toBe(true);
      expect(store().isUp).toBe(false);
      expect(warnings).toHaveLength(1);
      // The result is not a promise, so nothing was waited for.
      expect(limits.consume('tenant', 'a', aMinute(1000))).toMatchObject({ remaining: 899 });
      valkey.resume();
      await eventually(() => expect(store().isUp).toBe(true));
      expect(warnings).toHaveLength(2);
    } finally {
      valkey.resume();
      await valkey.stop();
    }
  });

  test('a node whose event loop is blocked longer than the timeout does not detect an outage', async () => {
    const { limits, counts } = await open(await newDatabase());
    const hits = inParallel(20, () => limits.consume('tenant', 'a', aMinute(1000)));
    const busyUntilMs = performance.now() + 700;
    while (performance.now() < busyUntilMs);
    expect((await hits).every(({ allowed }) => allowed)).toBe(true);
    expect(counts).toEqual({ ownHits: 0, outages: 0 });
  });

  test('a node that starts during an outage serves alone, and shares the limits once Valkey is available', async () => {
    const valkey = await startValkey();
    try {
      await valkey.kill();
      const { limits, store, warnings } = await open(valkey.url);
      expect(limits.consume('tenant', 'a', aMinute(2))).toMatchObject({ allowed: true, remaining: 1 });
      expect(warnings).toHaveLength(1);
      await valkey.restart();
      await eventually(() => expect(store().isUp).toBe(true));
      expect(await limits.consume('tenant', 'a', aMinute(2))).toMatchObject({ remaining: 0 });
    } finally {
      await valkey.stop();
    }
  });

  test('hits beyond the maximum of commands in flight are counted by the node without queueing', async () => {
    const { limits, counts } = await open(await newDatabase());
    const hits = await inParallel(6000, () => limits.consume('tenant', 'a', aMinute(10_000)));
    expect(hits.every(({ allowed }) => allowed)).toBe(true);
    expect(counts.ownHits).toBe(1000);
    expect(await limits.consume('tenant', 'a', aMinute(10_000))).toMatchObject({ remaining: 3999 });
  });
});

describe('the connection to Valkey', () => {
  test('a Valkey user with only the documented rights is sufficient', async () => {
    const valkey = await startValkey();
    try {
      const rights = '~licensing:* +@connection +@hash +@sortedset +@scripting +del +pexpire +time +info';
      await onValkey(valkey.url, ['ACL', 'SETUSER', 'licensing', 'on', '>secret', ...rights.split(' ')]);
      const { limits } = await open(valkey.url.replace(/:[^:@]*@/, 'licensing:secret@'));
      await limits.consume('tenant', 'a', aMinute(9));
      await limits.refund('tenant', 'a');
      expect(await limits.openWindow('tenant', 'a')).toMatchObject({ hits: 0 });
      await limits.block('tenant', 'a', aMinute(9));
      expect(await limits.openWindow('tenant', 'a')).toMatchObject({ hits: 9 });
      await limits.reset('tenant', 'a');
      expect(await limits.openWindow('tenant', 'a')).toBeNull();
      await limits.close();
      expect(await onValkey(valkey.url, ['ZCARD', 'licensing:nodes'])).toBe(0);
    } finally {
      await valkey.stop();
    }
  });

  test('a rediss connection is encrypted and requires a trusted certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'licensing-valkey-tls-'));
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
    writeFileSync(certificate, selfSigned.cert);
    writeFileSync(key, selfSigned.key);
    const tlsPort = await freePort();
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    const valkey = await startValkey(['--tls-port', String(tlsPort), ...files]);
    const trusted = getCACertificates();
    try {
      const url = valkey.url.replace('redis:', 'rediss:').replace(/:\d+$/, `:${tlsPort}`);
      const stranger = await open(url);
      expect([stranger.store().isUp, stranger.warnings.length]).toEqual([false, 1]);
      setDefaultCACertificates([...trusted, selfSigned.cert]);
      expect((await open(url)).store().isUp).toBe(true);
    } finally {
      setDefaultCACertificates(trusted);
      await valkey.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('rejections of Valkey', () => {
  test.each([
    ['a wrong password', (url: string) => url.replace(/:[^:@]*@/, ':wrong@'), 'WRONGPASS'],
    ['no password', (url: string) => url.replace(/:[^:@]*@/, ''), 'NOAUTH'],
    ['a database that does not exist', (url: string) => `${url}/99999`, 'DB index'],
  ])('with %s the start fails with one sentence that reveals no secret', async (_what, wrong, why) => {
    const url = inject('valkeyUrl');
    const failed = await openNode(wrong(url)).catch((error: Error) => error.message);
    expect(failed).toMatch(
      new RegExp(`^Valkey on 127\\.0\\.0\\.1:\\d+ rejects .* VALKEY_URL .*${why}.*: correct the URL\\.$`),
    );
    expect(failed).not.toContain(new URL(url).password);
  });

  test('a script that Valkey no longer caches is loaded again', async () => {
    const valkey = await startValkey();
    try {
      const { limits, store } = await open(valkey.url);
      await onValkey(valkey.url, ['SCRIPT', 'FLUSH']);
      expect(await limits.consume('tenant', 'a', aMinute(9))).toMatchObject({ allowed: true });
      await eventually(() => expect(store().isUp).toBe(true));
      expect(await limits.consume('tenant', 'a', aMinute(9))).toMatchObject({ remaining: 7 });
    } finally {
      await valkey.stop();
    }
  });
});
