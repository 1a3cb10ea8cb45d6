import type { Logger } from 'pino';
import { serverOf } from '../../config/valkey-url.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { RateLimitStoreMetrics } from '../../metrics/rate-limit-metrics.ts';
import type { Hit, RateLimits, RateLimitWindow, WindowLimit } from '../rate-limits.ts';
import { windowAfter } from '../rate-limits.ts';
import { isRefusal, type Run, ValkeyConnection } from './connection.ts';
import { LiveNodes, nodeSilenceMs, nodesKey } from './live-nodes.ts';
import { type MissedHits, OwnWindows } from './own-windows.ts';
import {
  blockScript,
  consumeScript,
  evaluate,
  heartbeatScript,
  openWindowScript,
  refundScript,
  type Script,
} from './scripts.ts';

const heartbeatEveryMs = 2_000;

interface SharedRateLimitsOptions {
  /** `redis://` or `rediss://`. Holds a secret. */
  readonly url: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Whose time ends the windows, in place of Valkey's own: that of a test which owns the time. */
  readonly windowClock?: Pick<Clock, 'nowMs'> | undefined;
  readonly logger: Logger;
  readonly metrics: RateLimitStoreMetrics;
}

/** Rate limits that all nodes share. */
export interface SharedRateLimits extends RateLimits {
  /** Connects. Throws, in a sentence for operators, when Valkey refuses; when it is away, it goes on without and tries again. */
  open(): Promise<void>;
  /** Leaves the other nodes the whole ceilings, and ends the connection. */
  close(): Promise<void>;
}

/**
 * Rate limits counted in Valkey: one ceiling over all nodes, exact. While Valkey is away each node counts by itself, with
 * its share of what was left of each ceiling, and tells Valkey of it afterwards (docs/decisions/0021).
 */
export function createSharedRateLimits(options: SharedRateLimitsOptions): SharedRateLimits {
  const { url, clock, windowClock, logger, metrics } = options;
  const own = new OwnWindows(clock);
  const nodes = new LiveNodes();
  const nodeId = newId();
  const server = serverOf(url);
  let awaySinceMs: number | undefined;
  let heartbeats: NodeJS.Timeout | undefined;

  const connection = new ValkeyConnection({
    url,
    onConnect: beat,
    onUp() {
      if (awaySinceMs === undefined) return;
      const outage_seconds = Math.round((performance.now() - awaySinceMs) / 100) / 10;
      awaySinceMs = undefined;
      logger.warn({ server, outage_seconds }, 'Valkey answers again: rate limits are shared by all nodes');
    },
    onDown({ message: reason }) {
      awaySinceMs = performance.now();
      metrics.countOutage();
      logger.warn(
        { server, reason, nodes: nodes.count },
        'Valkey cannot be used: until it answers again, this node lets through its share of each rate limit',
      );
    },
  });
  metrics.watchStore(() => ({ isUp: connection.isUp, nodes: nodes.count }));

  async function beat(run: Run): Promise<void> {
    const alive = evaluate(heartbeatScript, [nodesKey], ['', nodeId, String(nodeSilenceMs)]);
    nodes.note(Number(await run(alive)));
  }

  function ask(script: Script, keys: readonly string[], ...args: readonly (string | number)[]): Promise<unknown> {
    const moment = windowClock === undefined ? '' : String(windowClock.nowMs());
    return connection.run(evaluate(script, keys, [moment, ...args.map(String)]));
  }

  function consumeByMyself(hits: readonly Hit[]): RateLimitWindow[] {
    const counted: RateLimitWindow[] = [];
    for (const { name, key, window } of hits) {
      metrics.countOwnHit();
      const after = own.consume(name, key, window, nodes.count);
      counted.push(after);
      if (!after.allowed) break;
    }
    return counted;
  }

  async function consumeShared(hits: readonly Hit[]): Promise<RateLimitWindow[]> {
    const missed = hits.map(({ name, key }) => own.takeMissed(name, key));
    try {
      const args = hits.flatMap(({ window }, at) => argumentsOf(window, missed[at]));
      const keys = hits.map(({ name, key }) => keyOf(name, key));
      return takeIn(hits, missed, (await ask(consumeScript, keys, ...args)) as number[]);
    } catch {
      // The connection has told why; this hit must go on.
      for (const [at, hit] of hits.entries()) giveBack(hit, missed[at]);
      return consumeByMyself(hits);
    }
  }

  function takeIn(hits: readonly Hit[], missed: readonly MissedHits[], reply: readonly number[]): RateLimitWindow[] {
    const nowMs = clock.nowMs();
    const counted: RateLimitWindow[] = [];
    for (const [at, hit] of hits.entries()) {
      const [count, leftMs] = [reply[at * 2], reply[at * 2 + 1]];
      if (count === undefined || leftMs === undefined) {
        giveBack(hit, missed[at]);
        continue;
      }
      const resetAtMs = nowMs + leftMs;
      own.note(hit.name, hit.key, count, resetAtMs);
      counted.push(windowAfter(count, hit.window.limit, resetAtMs, nowMs));
    }
    return counted;
  }

  function giveBack({ name, key }: Hit, missed: MissedHits | undefined): void {
    if (missed !== undefined && missed.hits > 0) own.giveBackMissed(name, key, missed);
  }

  /** True when Valkey did what it was asked. */
  function succeeds(asked: Promise<unknown>): Promise<boolean> {
    return asked.then(
      () => true,
      () => false,
    );
  }

  const consumeInTurn = (hits: readonly Hit[]) => (connection.isUp ? consumeShared(hits) : consumeByMyself(hits));

  return {
    consumeInTurn,
    consume(name, key, window) {
      const counted = consumeInTurn([{ name, key, window }]);
      return counted instanceof Promise ? counted.then(onlyOne) : onlyOne(counted);
    },
    async openWindow(name, key) {
      try {
        const [hits, leftMs] = (await ask(openWindowScript, [keyOf(name, key)])) as number[];
        return hits === undefined || leftMs === undefined ? null : { hits, resetAtMs: clock.nowMs() + leftMs };
      } catch {
        return own.find(name, key);
      }
    },
    async refund(name, key) {
      own.refund(name, key);
      await succeeds(ask(refundScript, [keyOf(name, key)]));
    },
    async block(name, key, window) {
      const { limit, windowSeconds } = window;
      const isShared = await succeeds(ask(blockScript, [keyOf(name, key)], windowSeconds * 1000, limit));
      own.block(name, key, window, isShared);
    },
    async reset(name, key) {
      own.reset(name, key);
      await succeeds(connection.run(['DEL', keyOf(name, key)]));
    },
    async open() {
      const failure = await connection.open();
      if (failure !== undefined && isRefusal(failure)) {
        connection.close();
        throw new Error(`Valkey on ${server} refuses what VALKEY_URL says (${failure.message}): correct it.`);
      }
      heartbeats = setInterval(() => {
        if (connection.isUp) void succeeds(beat((command) => connection.run(command)));
      }, heartbeatEveryMs).unref();
    },
    async close() {
      clearInterval(heartbeats);
      if (connection.isUp) await succeeds(connection.run(['ZREM', nodesKey, nodeId]));
      connection.close();
    },
  };
}

function keyOf(name: string, key: string): string {
  return `licensing:window:${name}:${key}`;
}

function argumentsOf({ limit, windowSeconds }: WindowLimit, missed: MissedHits | undefined): number[] {
  return [windowSeconds * 1000, limit, missed?.hits ?? 0, missed?.leftMs ?? 0];
}

function onlyOne([window]: readonly RateLimitWindow[]): RateLimitWindow {
  if (window === undefined) throw new Error('A hit that was counted has a window.');
  return window;
}
