import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWriteBehind, PartialFlushError } from './write-behind.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Merge = (older: number, newer: number) => number;

function recorder(options: { failures?: unknown[]; maxKeys?: number; merge?: Merge } = {}) {
  const batches: Record<string, number>[] = [];
  const errors: unknown[] = [];
  const failures = [...(options.failures ?? [])];
  const buffer = createWriteBehind<string, number>({
    maxDelayMs: 1000,
    onError: (error) => errors.push(error),
    flush: async (batch) => {
      batches.push(Object.fromEntries(batch));
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    },
    ...(options.maxKeys === undefined ? {} : { maxKeys: options.maxKeys }),
    ...(options.merge === undefined ? {} : { merge: options.merge }),
  });
  return { buffer, batches, errors };
}

test('a write-behind buffer writes the newest value per key, in one batch, at most maxDelayMs after the first', async () => {
  const { buffer, batches } = recorder();
  buffer.record('a', 1);
  await vi.advanceTimersByTimeAsync(900);
  buffer.record('a', 2);
  buffer.record('b', 3);
  expect(batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  expect(batches).toEqual([{ a: 2, b: 3 }]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(batches).toHaveLength(1);
});

test('a recorded value stays visible until the database contains it', async () => {
  const { buffer } = recorder();
  expect(buffer.peek('a')).toBeUndefined();
  buffer.record('a', 1);
  expect(buffer.peek('a')).toBe(1);
  const flushed = buffer.flush();
  expect(buffer.peek('a')).toBe(1);
  await flushed;
  expect(buffer.peek('a')).toBe(1);
  buffer.record('a', 2);
  expect(buffer.peek('a')).toBe(2);
});

test('a failed batch is reported and retried, and newer values win', async () => {
  const failure = new Error('no database');
  const { buffer, batches, errors } = recorder({ failures: [failure] });
  buffer.record('a', 1);
  buffer.record('b', 1);
  const flushed = buffer.flush();
  buffer.record('b', 2);
  await flushed;
  expect(errors).toEqual([failure]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(batches.slice(1)).toEqual([expect.objectContaining({ b: 2 })]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(batches.length).toBeLessThanOrEqual(3);
});

test('after a partial failure only the listed keys are retried', async () => {
  const { buffer, batches } = recorder({ failures: [new PartialFlushError(['b'], new Error('tenant is down'))] });
  buffer.record('a', 1);
  buffer.record('b', 1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(batches).toEqual([{ a: 1, b: 1 }, { b: 1 }]);
});

test('a write-behind buffer over its maximum drops the keys recorded first', async () => {
  const { buffer, batches } = recorder({ maxKeys: 2, failures: [new Error('down')] });
  for (const key of ['a', 'b', 'c']) buffer.record(key, 1);
  await buffer.flush();
  buffer.record('d', 1);
  await buffer.flush();
  expect(batches).toEqual([
    { b: 1, c: 1 },
    { c: 1, d: 1 },
  ]);
});

test('closing a write-behind buffer writes the buffered values and schedules no further flush', async () => {
  const { buffer, batches } = recorder({ failures: [undefined, new Error('down')] });
  buffer.record('a', 1);
  await buffer.close();
  expect(batches).toEqual([{ a: 1 }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('the flushes of a write-behind buffer never overlap', async () => {
  let open = 0;
  let widest = 0;
  const buffer = createWriteBehind<string, number>({
    maxDelayMs: 1000,
    onError: () => undefined,
    flush: async () => {
      open += 1;
      widest = Math.max(widest, open);
      await Promise.resolve();
      open -= 1;
    },
  });
  for (let index = 0; index < 5; index += 1) {
    buffer.record('a', index);
    void buffer.flush();
  }
  await buffer.flush();
  expect(widest).toBe(1);
});

test('buffered values of a key are merged, also with those of a failed batch, but never with written ones', async () => {
  const { buffer, batches } = recorder({ failures: [new Error('no database')], merge: Math.min });
  for (const value of [7, 5, 9]) buffer.record('a', value);
  const failed = buffer.flush();
  buffer.record('a', 6);
  await failed;
  await buffer.flush();
  buffer.record('a', 8);
  await buffer.flush();
  expect(batches).toEqual([{ a: 5 }, { a: 5 }, { a: 8 }]);
});

test('values that are postponed are written by a later flush in their order, and by a flush that a caller asks for', async () => {
  const batches: string[][] = [];
  const buffer = createWriteBehind<string, number>({
    maxDelayMs: 1000,
    onError: (error) => expect.unreachable(String(error)),
    postpone: (waiting) => new Set([...waiting.keys()].slice(1)),
    flush: async (batch) => void batches.push([...batch.keys()]),
  });
  for (const key of ['a', 'b', 'c', 'd']) buffer.record(key, 1);
  await vi.advanceTimersByTimeAsync(1000);
  buffer.record('a', 2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(batches).toEqual([['a'], ['b']]);
  expect(buffer.peek('c')).toBe(1);
  await buffer.flush();
  expect(batches).toEqual([['a'], ['b'], ['c', 'd', 'a']]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(batches).toHaveLength(3);
});
