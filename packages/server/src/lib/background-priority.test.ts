import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Calls a function in a process of its own. Returns the priorities of its threads, the main thread first. */
function prioritiesAfter(name: string): number[] {
  const code = `
    import { readdirSync } from 'node:fs';
    import { getPriority } from 'node:os';
    import { ${name} } from ${JSON.stringify(new URL('./background-priority.ts', import.meta.url).href)};
    ${name}();
    const threads = readdirSync('/proc/self/task').map(Number).sort((left, right) => left - right);
    console.log(JSON.stringify(threads.map((thread) => getPriority(thread))));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test('a thread in the background leaves the other threads of its process at their priority', () => {
  const [own, ...others] = prioritiesAfter('lowerThreadPriority');
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) expect(other).toBeLessThan(Number(own));
});

test('a process in the background has every thread at the lower priority', () => {
  const [own, ...others] = prioritiesAfter('lowerProcessPriority');
  expect(Number(own)).toBeGreaterThanOrEqual(10);
  expect(others).toEqual(others.map(() => own));
});
