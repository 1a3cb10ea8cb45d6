import { expect, test } from 'vitest';
import type { SqlValue } from '../../db/database.ts';
import { assertSameRows, RowsDigest } from './copy-rows.ts';

type Row = readonly SqlValue[];

function digestOf(...rows: readonly Row[]): string {
  const digest = new RowsDigest();
  digest.add(rows);
  return String(digest);
}

const rows: readonly Row[] = [
  ['a', 1, null],
  ['b', 2n ** 62n, ''],
  ['c', -3, 'x'],
];

test('the checksum of rows does not depend on their order', () => {
  expect(digestOf(...rows.toReversed())).toBe(digestOf(...rows));
});

test.for<readonly [string, readonly Row[]]>([
  ['a row is missing', rows.slice(1)],
  ['a row is duplicated', [...rows, ['a', 1, null]]],
  ['a number becomes text', [['a', '1', null], ...rows.slice(1)]],
  ['a null becomes an empty text', [['a', 1, ''], ...rows.slice(1)]],
  [
    'a number beyond the safe integers differs by one',
    [
      ['a', 1, null],
      ['b', 2n ** 62n + 1n, ''],
      ['c', -3, 'x'],
    ],
  ],
  [
    'two rows swap a value',
    [
      ['b', 1, null],
      ['a', 2n ** 62n, ''],
      ['c', -3, 'x'],
    ],
  ],
])('the checksum of rows differs when %s, and the copy is rejected', ([, changed]) => {
  expect(digestOf(...changed)).not.toBe(digestOf(...rows));
  const [source, target] = [digestOf(...rows), digestOf(...changed)].map((digest) => new Map([['licenses', digest]]));
  expect(() => assertSameRows(source ?? new Map(), target ?? new Map())).toThrow(
    'The copy of licenses differs from the original',
  );
});
