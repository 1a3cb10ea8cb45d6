import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeFormula, unescapeFormula, writeCsv } from './csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ['\n=1', "'\n=1"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ["'＝1", "''＝1"],
  ["'=1", "''=1"],
  ["'t Hooft", "'t Hooft"],
  ['a=1', 'a=1'],
  ['', ''],
])('the text %j is written as the cell %j and read back unchanged', (text, cell) => {
  expect(escapeFormula(text)).toBe(cell);
  expect(unescapeFormula(cell)).toBe(text);
});

test('escaping and unescaping restores every text', () => {
  const texts = fc.string({
    unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', 'a', ' '),
  });
  fc.assert(fc.property(texts, (text) => unescapeFormula(escapeFormula(text)) === text));
});

test.each([
  ['x;=1', '"x;=1"'],
  ['x\t=1', '"x\t=1"'],
  ['x,=1', '"x,=1"'],
  ['x\r=1', '"x\r=1"'],
  ['x\n=1', '"x\n=1"'],
  ['x"=1', '"x""=1"'],
  ['x =1', 'x =1'],
])('the cell %j is quoted where a spreadsheet could divide it: %s', (cell, written) => {
  expect(writeCsv([['a', cell]])).toBe(`a,${written}\n`);
});
