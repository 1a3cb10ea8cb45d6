import { expect, test } from 'vitest';
import { createWorkQueue, QueueFullError } from './work-queue.ts';

/** Creates a queue, tasks that run until the test ends them, and a record of the order in which tasks started. */
function setUp(places: number, maxWaiting: number) {
  const queue = createWorkQueue({ places, maxWaiting });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const start = (name: number) =>
    queue.run(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { queue, begun, ends, start, settle };
}

test('a work queue runs as many tasks as it has places, and starts the rest in the order of the calls', async () => {
  const { queue, begun, ends, start, settle } = setUp(2, 10);
  const results = [1, 2, 3, 4].map(start);
  await settle();
  expect([begun, queue.running, queue.waiting]).toEqual([[1, 2], 2, 2]);
  ends[1]?.();
  await settle();
  expect([begun, queue.running, queue.waiting]).toEqual([[1, 2, 3], 2, 1]);
  ends[0]?.();
  await settle();
  for (const end of ends) end();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  expect([queue.running, queue.waiting, queue.begun]).toEqual([0, 0, 4]);
});

test('a full work queue rejects a task at once, and a failed task frees its place', async () => {
  const { queue, ends, start, settle } = setUp(1, 1);
  expect(queue.isFull).toBe(false);
  const [running, waiting] = [start(1), start(2)];
  expect(queue.isFull).toBe(true);
  await expect(start(3)).rejects.toBeInstanceOf(QueueFullError);
  ends[0]?.();
  await running;
  await settle();
  expect(queue.isFull).toBe(false);
  ends[1]?.();
  await waiting;
  await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});
