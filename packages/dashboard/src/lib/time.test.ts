import { expect, test } from 'vitest';
import { formatRelative, formatWhen } from './time.ts';

const at = (day: string, time = '12:00') => new Date(`${day}T${time}:00`);

test.for([
  { now: at('2026-11-27'), moment: at('2027-01-11'), text: /^(11 Jan|Jan 11, )/ },
  { now: at('2026-11-27'), moment: at('2028-05-01'), text: /2028$/ },
  { now: at('2026-11-27'), moment: at('2026-12-04'), text: /^(4 Dec|Dec 4, )/ },
  { now: at('2026-11-27', '01:00'), moment: at('2026-11-28', '23:00'), text: /^tomorrow$/ },
  { now: at('2026-11-27', '23:00'), moment: at('2026-11-29', '01:00'), text: /^in 2 days$/ },
  { now: at('2026-11-27'), moment: at('2026-12-04', '11:59'), text: /^in 7 days$/ },
  { now: at('2026-11-27'), moment: at('2026-11-27', '13:59'), text: /^in 1 hour$/ },
  { now: at('2026-11-27'), moment: at('2026-11-26', '11:00'), text: /^yesterday$/ },
  { now: at('2026-11-27'), moment: at('2026-11-20'), text: /2026$/ },
  { now: at('2026-11-27'), moment: at('2026-11-27', '12:00'), text: /^now$/ },
])('$moment, seen at $now, is $text: the distance below a week, otherwise the day', ({ now, moment, text }) => {
  expect(formatRelative(moment.toISOString(), now.getTime())).toMatch(text);
});

test('a day within a sentence follows "on"', () => {
  expect(formatWhen(at('2027-01-11').toISOString(), at('2026-11-27').getTime())).toMatch(/^on /);
  expect(formatWhen(at('2026-11-28').toISOString(), at('2026-11-27').getTime())).toBe('tomorrow');
});
