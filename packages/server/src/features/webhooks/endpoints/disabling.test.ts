import { expect, test } from 'vitest';
import { afterFailure } from './disabling.ts';

const day1 = '2026-11-20T12:00:00.000000Z';
const almostDay2 = '2026-11-21T11:59:59.999999Z';
const day2 = '2026-11-21T12:00:00.000000Z';

test.each([
  ['the first failure begins the streak', 0, null, day1, false],
  ['the ninth is not enough, however long it lasts', 8, day1, '2027-01-01T00:00:00.000000Z', false],
  ['the tenth at once is not enough', 9, day1, day1, false],
  ['the tenth just before a day has passed is not enough', 9, day1, almostDay2, false],
  ['the tenth after a day disables', 9, day1, day2, true],
  ['a later one disables as soon as a day has passed', 500, day1, day2, true],
  ['a later one within the day does not', 500, day1, almostDay2, false],
])('%s', (_name, failed, since, at, disables) => {
  const after = afterFailure({ failed_deliveries: failed, failing_since: since }, at);
  expect(after).toEqual({ failed_deliveries: failed + 1, failing_since: since ?? at, disables });
});
