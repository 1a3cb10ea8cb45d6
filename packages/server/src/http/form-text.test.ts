import { expect, it } from 'vitest';
import { maxFormFields, parseForm } from './form-text.ts';

const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=${index}`).join('&');

it('the most fields of a form are read, and a form with more is not parsed', () => {
  expect(parseForm(fields(maxFormFields))?.get('f199')).toBe('199');
  expect(parseForm(fields(maxFormFields + 1))).toBeUndefined();
  expect(parseForm('a&'.repeat(8 * 1024))).toBeUndefined();
});

it('brackets in the name of a field nest nothing, however many there are', () => {
  const name = `a${'[b]'.repeat(5_000)}`;
  const form = parseForm(`${name}=1&a[]=2&a[b]=3&a=4&a=5`);
  expect([form?.get(name), form?.get('a[]'), form?.get('a[b]'), form?.getAll('a')]).toEqual([
    '1',
    '2',
    '3',
    ['4', '5'],
  ]);
});
