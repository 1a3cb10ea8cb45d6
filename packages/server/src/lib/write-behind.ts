import { inParallel } from './work-queue.ts';

/** Buffers one value per key in memory (the newest, or the result of `merge`) and writes them in batches. */
export interface WriteBehind<Key, Value> {
  /** Replaces the key's buffered value, or merges with it. Does no I/O. */
  record(key: Key, value: Value): void;
  /**
   * Returns the newest value that the database might not contain yet. The caller must compare it with the database's
   * value and use the newer one: a value stays visible here until the flush after its own, so that no read misses it.
   */
  peek(key: Key): Value | undefined;
  /** Writes all values recorded before the call. Failures go to `onError`; this never rejects. */
  flush(): Promise<void>;
  /** Flushes a last time. Later values are not written. */
  close(): Promise<void>;
}

interface WriteBehindOptions<Key, Value> {
  /**
   * Writes a batch. When it throws, the next flush retries the batch, merged with newer values; after a
   * `PartialFlushError`, only the keys that it lists.
   */
  readonly flush: (batch: ReadonlyMap<Key, Value>) => Promise<void>;
  /** The maximum time between a value's recording and its flush. */
  readonly maxDelayMs: number;
  /**
   * Returns the keys that wait for a later flush, when values are due. A requested flush writes all keys. The keys are
   * in the order in which they began to wait. Default: none.
   */
  readonly postpone?: (waiting: ReadonlyMap<Key, Value>) => ReadonlySet<Key>;
  readonly onError: (error: unknown) => void;
  /** Combines two buffered values of a key. Default: the newer one. */
  readonly merge?: (older: Value, newer: Value) => Value;
  /** The maximum number of buffered keys while writing fails; the oldest keys are dropped. */
  readonly maxKeys?: number;
}

/** Thrown by `flush` when only these keys of the batch could not be written. */
export class PartialFlushError<Key> extends Error {
  readonly keys: readonly Key[];

  constructor(keys: readonly Key[], cause: unknown) {
    super(`${keys.length} buffered values could not be written; the next flush retries them.`, { cause });
    this.name = 'PartialFlushError';
    this.keys = keys;
  }
}

/** Keys of a batch that are written together. */
interface FlushGroup<Key> {
  readonly keys: Iterable<Key>;
  readonly write: () => Promise<void>;
}

/**
 * Writes the groups of a batch, `parallelism` at a time. A failed group does not affect the others. Throws a
 * `PartialFlushError` with the keys of all failed groups.
 */
export async function flushGroups<Key>(groups: Iterable<FlushGroup<Key>>, parallelism = 1): Promise<void> {
  const failedKeys: Key[] = [];
  let cause: unknown;
  await inParallel(groups, parallelism, async ({ keys, write }) => {
    try {
      await write();
    } catch (error) {
      cause = error;
      failedKeys.push(...keys);
    }
  });
  if (failedKeys.length > 0) throw new PartialFlushError(failedKeys, cause);
}

const defaultMaxKeys = 200_000;

function moveKey<Key, Value>(key: Key, from: Map<Key, Value>, to: Map<Key, Value>): void {
  const value = from.get(key);
  if (value === undefined) return;
  from.delete(key);
  to.set(key, value);
}

/** Creates a write-behind buffer that flushes at most `maxDelayMs` after the first buffered value. */
export function createWriteBehind<Key, Value>(options: WriteBehindOptions<Key, Value>): WriteBehind<Key, Value> {
  const { maxDelayMs, onError, maxKeys = defaultMaxKeys, merge = (_older: Value, newer: Value) => newer } = options;
  let waiting = new Map<Key, Value>();
  let inFlight: ReadonlyMap<Key, Value> = new Map();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let closed = false;

  function schedule(): void {
    if (closed || timer !== undefined) return;
    timer = setTimeout(() => void runAfterOthers(writeDue), maxDelayMs);
    timer.unref();
  }

  function keepForRetry(keys: Iterable<Key>, batch: ReadonlyMap<Key, Value>): void {
    const retried = new Map<Key, Value>();
    for (const key of keys) {
      const value = batch.get(key);
      if (value !== undefined) retried.set(key, value);
    }
    for (const [key, value] of waiting) retried.set(key, mergedWith(retried, key, value));
    waiting = retried;
    dropOldest();
    schedule();
  }

  function mergedWith(values: ReadonlyMap<Key, Value>, key: Key, newer: Value): Value {
    const older = values.get(key);
    return older === undefined ? newer : merge(older, newer);
  }

  function dropOldest(): void {
    for (const key of waiting.keys()) {
      if (waiting.size <= maxKeys) return;
      waiting.delete(key);
    }
  }

  const writeAll = () => write(new Set());
  const writeDue = () => write(options.postpone?.(waiting) ?? new Set());

  async function write(postponed: ReadonlySet<Key>): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.size === 0) return;
    const batch = waiting;
    waiting = new Map();
    for (const key of postponed) moveKey(key, batch, waiting);
    if (waiting.size > 0) schedule();
    if (batch.size === 0) return;
    inFlight = batch;
    try {
      await options.flush(batch);
    } catch (error) {
      keepForRetry(error instanceof PartialFlushError ? error.keys : batch.keys(), batch);
      onError(error);
    }
  }

  /** Overlapping flushes could overwrite a newer value with an older one. */
  function runAfterOthers(work: () => Promise<void>): Promise<void> {
    running = running.then(work);
    return running;
  }

  const flush = () => runAfterOthers(writeAll);

  return {
    record(key, value) {
      waiting.set(key, mergedWith(waiting, key, value));
      if (waiting.size > maxKeys) dropOldest();
      schedule();
    },
    peek: (key) => waiting.get(key) ?? inFlight.get(key),
    flush,
    close() {
      closed = true;
      return flush();
    },
  };
}
