import { expect, test } from 'vitest';
import { afterFailure } from './health-service.ts';

const day1 = '2026-11-20T12:00:00.000000Z';
const almostDay2 = '2026-11-21T11:59:59.999999Z';
const day2 = '2026-11-21T12:00:00.000000Z';

test.each([
  ['the first failure starts a streak', 0, null, day1, false],
  [
    'nine failures do not disable an endpoint, however long the streak lasts',
    8,
    day1,
    '2027-01-01T00:00:00.000000Z',
    false,
  ],
  ['ten failures at the same time do not disable an endpoint', 9, day1, day1, false],
  ['ten failures within almost a day do not disable an endpoint', 9, day1, almostDay2, false],
  ['ten failures over a day disable an endpoint', 9, day1, day2, true],
  ['a later failure disables an endpoint once the streak has lasted a day', 500, day1, day2, true],
  ['a later failure within the first day does not disable an endpoint', 500, day1, almostDay2, false],
])('%s', (_name, failed, since, at, disables) => {
  const after = afterFailure({ failed_deliveries: failed, failing_since: since }, at);
  expect(after).toEqual({ failed_deliveries: failed + 1, failing_since: since ?? at, disables });
});
