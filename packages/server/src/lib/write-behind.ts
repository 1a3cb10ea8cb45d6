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
 * Writes the groups of a batch one after another. A failed group does not affect the others. Throws a
 * `PartialFlushError` with the keys of all failed groups.
 */
export async function flushGroups<Key>(groups: Iterable<FlushGroup<Key>>): Promise<void> {
  const failedKeys: Key[] = [];
  let cause: unknown;
  for (const { keys, write } of groups) {
    try {
      await write();
    } catch (error) {
      cause = error;
      failedKeys.push(...keys);
    }
  }
  if (failedKeys.length > 0) throw new PartialFlushError(failedKeys, cause);
}

const defaultMaxKeys = 200_000;

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
    timer = setTimeout(() => void flush(), maxDelayMs);
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

  async function writeWaiting(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.size === 0) return;
    const batch = waiting;
    waiting = new Map();
    inFlight = batch;
    try {
      await options.flush(batch);
    } catch (error) {
      keepForRetry(error instanceof PartialFlushError ? error.keys : batch.keys(), batch);
      onError(error);
    }
  }

  /** Runs flushes one after another, because overlapping flushes could overwrite a newer value with an older one. */
  function flush(): Promise<void> {
    running = running.then(writeWaiting);
    return running;
  }

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
