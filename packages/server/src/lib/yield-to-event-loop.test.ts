import { expect, test } from 'vitest';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

function workFor(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}

test('several long loops together return to the event loop after every 2 ms of work', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    pending = setImmediate(count);
  };
  let pending = setImmediate(count);
  const loop = async () => {
    for (let step = 0; step < 20; step += 1) {
      workFor(2);
      await yieldToEventLoop();
    }
  };
  await Promise.all([loop(), loop()]);
  clearImmediate(pending);
  expect(turns).toBeGreaterThanOrEqual(6);
});
