import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lives } from './random-life.fixture.ts';
import { problemAfter, rule } from './simulated-licenses.fixture.ts';

/** The number of random lives. */
const numRuns = Number(process.env['LIVES'] ?? 20_000);

test('licenses end as the final state of the shop says, in 20,000 random lives', { timeout: 1_200_000 }, () => {
  fc.assert(
    fc.property(lives, (life) => {
      expect(problemAfter(life, rule)).toBeNull();
    }),
    { numRuns },
  );
});
