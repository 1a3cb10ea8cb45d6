import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A message to the generator's process. */
export type Order =
  | {
      readonly kind: 'start';
      readonly port: number;
      readonly requests: readonly string[];
      readonly perSecond: number;
    }
  | { readonly kind: 'record' }
  | { readonly kind: 'stop' };

/** The reply to `stop`. */
export interface Answer {
  /** From the scheduled time of a request to its response. */
  readonly latenciesMs: readonly number[];
  /** From the scheduled time to the sending: the generator's own delay. */
  readonly latenessMs: readonly number[];
}

/** Latencies of the requests that were sent while some work ran. */
export interface Latencies {
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The p99 of the generator's own delay: near the other one, something else used the processors. */
  readonly latenessP99Ms: number;
}

/** Requests at a constant rate from a process of its own. */
export interface OpenLoop {
  during(work: () => Promise<unknown>): Promise<Latencies>;
  stop(): void;
}

/**
 * Starts to send the requests in turn at a constant rate, without ever waiting for a response. Every response must be a
 * valid verdict.
 */
export function startOpenLoop(port: number, requests: readonly Buffer[], perSecond: number): OpenLoop {
  const child = fork(join(import.meta.dirname, 'servers', 'open-loop-client.ts'));
  const order = (message: Order) => child.send(message);
  order({ kind: 'start', port, requests: requests.map(String), perSecond });
  return {
    async during(work) {
      order({ kind: 'record' });
      await work();
      order({ kind: 'stop' });
      const { latenciesMs, latenessMs } = await answerOf(child);
      return {
        p99Ms: p99(latenciesMs),
        longestMs: latenciesMs.reduce((longest, one) => Math.max(longest, one), 0),
        latenessP99Ms: p99(latenessMs),
      };
    },
    stop: () => child.disconnect(),
  };
}

async function answerOf(child: ChildProcess): Promise<Answer> {
  const over = new AbortController();
  const { signal } = over;
  try {
    const failed = once(child, 'exit', { signal }).then(() =>
      Promise.reject(new Error('The load generator failed: read its message.')),
    );
    const [answer] = await Promise.race([once(child, 'message', { signal }) as Promise<[Answer]>, failed]);
    return answer;
  } finally {
    // Removes the listener for the event that did not come.
    over.abort();
  }
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN;
}
