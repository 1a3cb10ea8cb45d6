import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toTimestamp } from '../lib/clock.ts';
import { parseTimestamp } from './timestamp.ts';

it.each([
  ['2026-11-20T17:42:00Z', '2026-11-20T17:42:00.000000Z'],
  ['2026-11-20t17:42:00.1z', '2026-11-20T17:42:00.100000Z'],
  ['2026-11-20T17:42:00.123456789Z', '2026-11-20T17:42:00.123456Z'],
  ['2026-11-20T17:42:00.1234+02:00', '2026-11-20T15:42:00.123400Z'],
  ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
])('the timestamp %s is parsed as %s', (text, timestamp) => expect(parseTimestamp(text)).toBe(timestamp));

it.each([
  '',
  '2026-11-20',
  '2026-11-20 17:42:00Z',
  '2026-11-20T17:42:00',
  '2026-11-20T17:42Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T17:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-20T17:42:00+24:00',
  '2026-11-20T17:42:00+02:60',
  '2026-11-20T17:42:00+0200',
  '2026-11-20T17:42:00.Z',
  '1969-12-31T23:59:59Z',
  '1970-01-01T00:00:00+01:00',
  '0000-01-01T00:00:00Z',
  '0050-01-01T00:00:00Z',
  '9999-12-31T23:59:59-01:00',
  '+12026-11-20T17:42:00Z',
  '2026-11-20T17:42:00Z\n',
])('the text %j is not a valid timestamp', (text) => expect(parseTimestamp(text)).toBeUndefined());

it('every stored timestamp is parsed unchanged', () => {
  const moment = fc.tuple(fc.integer({ min: 0, max: 253_402_300_799_999 }), fc.integer({ min: 0, max: 999 }));
  fc.assert(
    fc.property(moment, ([epochMs, micros]) => {
      const timestamp = toTimestamp(epochMs, micros);
      expect(parseTimestamp(timestamp)).toBe(timestamp);
    }),
  );
});
