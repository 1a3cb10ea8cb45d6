import { expect, test } from 'vitest';
import { connectionsFor } from './connection-limit.ts';

test.each([
  { openFiles: 200, pool: 500, max: 100 },
  { openFiles: 8_192, pool: 500, max: 4_436 },
  { openFiles: 16_384, pool: 500, max: 12_628 },
  { openFiles: 1_048_576, pool: 500, max: 16_384 },
])('with $openFiles open files and $pool open tenants $max connections may be open', ({ openFiles, pool, max }) => {
  expect(connectionsFor(openFiles, pool)).toBe(max);
});
