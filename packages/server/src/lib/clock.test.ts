import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock, toTimestamp } from './clock.ts';

test('a clock gives the time that it reads, with rising microseconds within a millisecond', () => {
  const readings = fc.array(fc.double({ min: 0, max: 4e12, noNaN: true }), { minLength: 1, maxLength: 20 });
  const property = fc.property(readings, (moments) => {
    let reading = 0;
    const clock = systemClock(() => reading);
    let last = Number.NaN;
    let micros = 0;
    for (const moment of moments.flatMap((one) => [one, one, one + 1, one + 1000])) {
      reading = moment;
      micros = Math.floor(moment) === last ? micros + 1 : 0;
      last = Math.floor(moment);
      expect(clock.now()).toBe(toTimestamp(last, micros));
    }
  });
  fc.assert(property, { numRuns: 300 });
});
