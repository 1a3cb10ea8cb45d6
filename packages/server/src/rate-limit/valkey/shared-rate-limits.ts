import type { Logger } from 'pino';
import { serverOf } from '../../config/server-urls.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { RateLimitStoreMetrics } from '../../metrics/metrics.ts';
import { type Hit, type RateLimits, type RateLimitWindow, type WindowLimit, windowAfter } from '../rate-limits.ts';
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

/** What shared rate limits need. */
export interface SharedRateLimitsOptions {
  /** `redis://` or `rediss://`. Contains a secret. */
  readonly url: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The clock that ends the windows, instead of Valkey's own; only for tests. */
  readonly windowClock?: Pick<Clock, 'nowMs'> | undefined;
  readonly logger: Logger;
  readonly metrics: RateLimitStoreMetrics;
}

/** Rate limits that all nodes share through Valkey. */
export interface SharedRateLimits extends RateLimits {
  /**
   * Connects. Throws an error for the operator when Valkey rejects the settings. When Valkey is unavailable, this
   * returns normally and connecting continues in the background.
   */
  open(): Promise<void>;
  /** Removes this node from the live nodes, so that the others get its share, and closes the connection. */
  close(): Promise<void>;
}

/**
 * Creates rate limits that Valkey counts exactly, over all nodes. During an outage of Valkey each node counts alone,
 * with its share of the remaining hits of each limit, and reports its hits to Valkey afterwards (docs/decisions/0021).
 */
export function createSharedRateLimits(options: SharedRateLimitsOptions): SharedRateLimits {
  const { url, clock, windowClock, logger, metrics } = options;
  const own = new OwnWindows(clock);
  const nodes = new LiveNodes();
  const nodeId = newId();
  const server = serverOf(url);
  let downSinceMs: number | undefined;
  let heartbeats: NodeJS.Timeout | undefined;

  const connection = new ValkeyConnection({
    url,
    onConnect: sendHeartbeat,
    onUp() {
      if (downSinceMs === undefined) return;
      const outage_seconds = Math.round((performance.now() - downSinceMs) / 100) / 10;
      downSinceMs = undefined;
      logger.warn({ server, outage_seconds }, 'Valkey is available again: all nodes share rate limits');
    },
    onDown({ message: reason }) {
      downSinceMs = performance.now();
      metrics.countOutage();
      logger.warn(
        { server, reason, nodes: nodes.count },
        'Valkey is unavailable: until it recovers, this node enforces its share of each rate limit',
      );
    },
  });
  metrics.watchStore(() => ({ isUp: connection.isUp, nodes: nodes.count }));

  async function sendHeartbeat(run: Run): Promise<void> {
    const command = evaluate(heartbeatScript, [nodesKey], ['', nodeId, String(nodeSilenceMs)]);
    nodes.note(Number(await run(command)));
  }

  function runScript(script: Script, keys: readonly string[], ...args: readonly (string | number)[]): Promise<unknown> {
    const moment = windowClock === undefined ? '' : String(windowClock.nowMs());
    return connection.run(evaluate(script, keys, [moment, ...args.map(String)]));
  }

  function consumeAlone(hits: readonly Hit[]): RateLimitWindow[] {
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
      return recordReply(hits, missed, (await runScript(consumeScript, keys, ...args)) as number[]);
    } catch {
      // The connection reports the outage; this hit must still be counted.
      for (const [at, hit] of hits.entries()) restoreMissed(hit, missed[at]);
      return consumeAlone(hits);
    }
  }

  function recordReply(
    hits: readonly Hit[],
    missed: readonly MissedHits[],
    reply: readonly number[],
  ): RateLimitWindow[] {
    const nowMs = clock.nowMs();
    const counted: RateLimitWindow[] = [];
    for (const [at, hit] of hits.entries()) {
      const [count, leftMs] = [reply[at * 2], reply[at * 2 + 1]];
      if (count === undefined || leftMs === undefined) {
        restoreMissed(hit, missed[at]);
        continue;
      }
      const resetAtMs = nowMs + leftMs;
      own.note(hit.name, hit.key, count, resetAtMs);
      counted.push(windowAfter(count, hit.window.limit, resetAtMs, nowMs));
    }
    return counted;
  }

  function restoreMissed({ name, key }: Hit, missed: MissedHits | undefined): void {
    if (missed !== undefined && missed.hits > 0) own.restoreMissed(name, key, missed);
  }

  /** Returns true when the command succeeded. */
  function succeeds(reply: Promise<unknown>): Promise<boolean> {
    return reply.then(
      () => true,
      () => false,
    );
  }

  const consumeInTurn = (hits: readonly Hit[]) => (connection.isUp ? consumeShared(hits) : consumeAlone(hits));

  return {
    consumeInTurn,
    consume(name, key, window) {
      const counted = consumeInTurn([{ name, key, window }]);
      return counted instanceof Promise ? counted.then(onlyOne) : onlyOne(counted);
    },
    async openWindow(name, key) {
      try {
        const [hits, leftMs] = (await runScript(openWindowScript, [keyOf(name, key)])) as number[];
        return hits === undefined || leftMs === undefined ? null : { hits, resetAtMs: clock.nowMs() + leftMs };
      } catch {
        return own.find(name, key);
      }
    },
    async refund(name, key) {
      own.refund(name, key);
      await succeeds(runScript(refundScript, [keyOf(name, key)]));
    },
    async block(name, key, window) {
      const { limit, windowSeconds } = window;
      const isShared = await succeeds(runScript(blockScript, [keyOf(name, key)], windowSeconds * 1000, limit));
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
        throw new Error(
          `Valkey on ${server} rejects the credentials or the database of VALKEY_URL (${failure.message}): correct the URL.`,
        );
      }
      heartbeats = setInterval(() => {
        if (connection.isUp) void succeeds(sendHeartbeat((command) => connection.run(command)));
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
  if (window === undefined) throw new Error('Bug: a counted hit has no window.');
  return window;
}
