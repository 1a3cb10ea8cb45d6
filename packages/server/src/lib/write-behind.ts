/** Values gathered in memory, one per key (the newest, unless `merge` says otherwise), and written together a moment later. */
export interface WriteBehind<Key, Value> {
  /** Replaces the key's waiting value, or merges with it. Costs no I/O. */
  record(key: Key, value: Value): void;
  /**
   * The newest value that a read from the database might not show yet. Compare it with what was read and take the
   * newer one: a value stays visible here for one flush longer than needed, so that no read falls between.
   */
  peek(key: Key): Value | undefined;
  /** Writes everything that was recorded before the call. A failure goes to `onError`, never to the caller. */
  flush(): Promise<void>;
  /** Flushes a last time and stops. Nothing is scheduled after it. */
  close(): Promise<void>;
}

interface WriteBehindOptions<Key, Value> {
  /**
   * Writes a batch. When it throws, the batch is tried again with the next flush (merged with newer values);
   * `PartialFlushError` narrows that to the keys it names.
   */
  readonly flush: (batch: ReadonlyMap<Key, Value>) => Promise<void>;
  readonly maxDelayMs: number;
  readonly onError: (error: unknown) => void;
  /** What is to be written of two values of a key that both wait. Without it the newer one. */
  readonly merge?: (older: Value, newer: Value) => Value;
  /** While writing fails, at most so many keys wait; the ones recorded first are given up. */
  readonly maxKeys?: number;
}

/** Thrown by `flush` when only these keys of the batch could not be written. */
export class PartialFlushError<Key> extends Error {
  readonly keys: readonly Key[];

  constructor(keys: readonly Key[], cause: unknown) {
    super(`${keys.length} values could not be written; they are tried again.`, { cause });
    this.name = 'PartialFlushError';
    this.keys = keys;
  }
}

/** Some keys of a batch, and how their values are written together. */
interface FlushGroup<Key> {
  readonly keys: Iterable<Key>;
  readonly write: () => Promise<void>;
}

/**
 * Writes the groups of a batch one after the other: one that fails costs the others nothing. Throws a
 * `PartialFlushError` with the keys of those that failed.
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

/** Makes a write-behind buffer that flushes at most `maxDelayMs` after the first value that waits. */
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

  /** Flushes run one after the other: two that overlap could store an older value over a newer one. */
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
