import { expect, test } from 'vitest';
import { refusedFile, rowsOf } from './import-file.ts';

const csv = 'policy,holder_name\r\n\r\nyearly,"Ada\nLovelace"\nnone,Bob\nyearly,"say ""x"", please"\n';

test('a row of a CSV file has the line on which it begins, after empty lines and cells of several lines', () => {
  const { header, rows } = rowsOf(csv, false);
  expect(header).toBe('policy,holder_name');
  expect(rows.map(({ line }) => line)).toEqual([3, 5, 6]);
  expect(rows[0]?.text).toBe('yearly,"Ada\nLovelace"');
});

test('a row of an NDJSON file has its line', () => {
  expect(rowsOf('{"a":1}\n\n  \n{"a":"\\""}', true).rows.map(({ line }) => line)).toEqual([1, 4]);
});

const problems = [
  { row: 2, field: 'policy', message: 'Use the code.' },
  { row: 2, field: 'key', message: 'Remove the "quotes".' },
  { row: 0, field: 'licenses', message: 'exceeds the plan' },
];
const reason = 'policy: Use the code. key: Remove the ""quotes"".';

test.for([
  [csv, `policy,holder_name,reason\nnone,Bob,"${reason}"\n`],
  ['policy;key\nyearly;1\nnone;2', `policy;key;reason\nnone;2;"${reason}"\n`],
  ['policy,reason\nyearly,\nnone,"a, ""b"""\n', `policy,reason\nnone,"${reason}"\n`],
] as const)('the refused rows of the CSV file %j keep its form and have one column of reasons', ([file, refused]) => {
  expect(refusedFile(rowsOf(file, false), problems)).toBe(refused);
});

test('the refused rows of an NDJSON file have a field with the reasons, and a broken line stays as it is', () => {
  const rows = rowsOf('{"policy":"none"}\n{"policy"\n', true);
  const refused = refusedFile(rows, [
    { row: 1, field: 'policy', message: 'Use the code.' },
    { row: 2, field: 'row', message: 'x' },
  ]);
  expect(refused).toBe('{"policy":"none","reason":"policy: Use the code."}\n{"policy"\n');
});
