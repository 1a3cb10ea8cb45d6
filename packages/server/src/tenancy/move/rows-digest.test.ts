import { expect, test } from 'vitest';
import type { SqlValue } from '../../db/database.ts';
import { assertSameRows } from './copy-rows.ts';
import { RowsDigest } from './rows-digest.ts';

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

test('a checksum does not depend on the order of rows', () => {
  expect(digestOf(...rows.toReversed())).toBe(digestOf(...rows));
});

test.for<readonly [string, readonly Row[]]>([
  ['a row is missing', rows.slice(1)],
  ['a row is there twice', [...rows, ['a', 1, null]]],
  ['a number is a text', [['a', '1', null], ...rows.slice(1)]],
  ['a null is an empty text', [['a', 1, ''], ...rows.slice(1)]],
  [
    'a number is one off beyond what JavaScript holds',
    [
      ['a', 1, null],
      ['b', 2n ** 62n + 1n, ''],
      ['c', -3, 'x'],
    ],
  ],
  [
    'values of two rows are exchanged',
    [
      ['b', 1, null],
      ['a', 2n ** 62n, ''],
      ['c', -3, 'x'],
    ],
  ],
])('a checksum differs when %s, and the copy is refused', ([, changed]) => {
  expect(digestOf(...changed)).not.toBe(digestOf(...rows));
  const [source, target] = [digestOf(...rows), digestOf(...changed)].map((digest) => new Map([['licenses', digest]]));
  expect(() => assertSameRows(source ?? new Map(), target ?? new Map())).toThrow(
    'The copy of licenses is not what was read',
  );
});
