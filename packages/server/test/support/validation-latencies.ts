import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** The first requests of a process compile its code. */
const warmUps = 300;

/** A client that validates licenses one after the other, until it is stopped. */
export interface ValidationSampler {
  /** Waits for `ms`, or throws what made the client fail. */
  during(ms: number): Promise<void>;
  /** Returns the 99th percentile in ms of what was measured since the last call, and how many there were. */
  take(): { readonly p99Ms: number; readonly count: number };
  /** Waits until so many were measured, and takes them. */
  takeNext(count: number): Promise<{ readonly p99Ms: number; readonly count: number }>;
  stop(): Promise<void>;
}

/** Starts a client in a thread of its own, and returns after it has warmed the service up. */
export async function startSampler(target: {
  readonly address: string;
  readonly apiKey: string;
  readonly keys: readonly string[];
}): Promise<ValidationSampler> {
  const { address, apiKey, keys } = target;
  let times: number[] = [];
  const worker = new Worker(new URL('./validation-sampler.ts', import.meta.url), {
    workerData: { address, apiKey, keys },
  });
  worker.on('message', (tookMs: number) => times.push(tookMs));
  const failed = once(worker, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  const during = (ms: number) => Promise.race([delay(ms), failed]);
  const take = () => {
    const taken = times.toSorted((one, other) => one - other);
    times = [];
    return { p99Ms: taken[Math.floor(taken.length * 0.99)] ?? Number.NaN, count: taken.length };
  };
  const takeNext = async (count: number) => {
    while (times.length < count) await during(5);
    return take();
  };
  await takeNext(warmUps);
  return {
    during,
    take,
    takeNext,
    async stop() {
      await worker.terminate();
    },
  };
}
