import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Clock } from '../../src/lib/clock.ts';
import { createSharedRateLimits, type SharedRateLimits } from '../../src/rate-limit/valkey/shared-rate-limits.ts';

/** The rate limits of one of several nodes, with its recorded log and metrics. */
export interface RateLimitNode {
  readonly limits: SharedRateLimits;
  /** The messages of the logged warnings, in order. */
  readonly warnings: string[];
  readonly counts: { ownHits: number; outages: number };
  /** Returns the values of its gauges. */
  store(): { readonly isUp: boolean; readonly nodes: number };
}

interface NodeOptions {
  readonly clock?: Pick<Clock, 'nowMs'>;
  readonly windowClock?: Pick<Clock, 'nowMs'>;
}

/** Opens the rate limits of a node on a Valkey database. */
export async function openNode(url: string, options: NodeOptions = {}): Promise<RateLimitNode> {
  const { clock = { nowMs: () => Date.now() }, windowClock } = options;
  const warnings: string[] = [];
  const counts = { ownHits: 0, outages: 0 };
  let store: RateLimitNode['store'] = () => ({ isUp: false, nodes: 0 });
  const logs = new Writable({
    write(line, _encoding, done) {
      const { level, msg } = JSON.parse(String(line));
      if (level === 40) warnings.push(msg);
      done();
    },
  });
  const limits = createSharedRateLimits({
    url,
    clock,
    windowClock,
    logger: pino(logs),
    metrics: {
      countOwnHit() {
        counts.ownHits += 1;
      },
      countOutage() {
        counts.outages += 1;
      },
      watchStore(read) {
        store = read;
      },
    },
  });
  await limits.open();
  return { limits, warnings, counts, store: () => store() };
}
