import { expect, test } from 'vitest';
import { emptyLine, invoiceInput, newInvoice, problemsOf, sumOf } from './invoice-values.ts';

const line = (quantity: number, unit_amount: string) => ({ description: 'Consulting', quantity, unit_amount });

test.each([
  ['usd', [line(3, '0.10'), line(1, '1.14'), line(7, '4.35')], 30 + 114 + 3045],
  ['jpy', [line(3, '1200'), line(1, '-600')], 3000],
  ['kwd', [line(3, '1.005'), line(2, '0.001')], 3017],
])('the sum of an invoice in %s is exact in its minor units', (currency, lines, sum) => {
  expect(sumOf({ currency, lines })).toBe(sum);
  const sent = invoiceInput({ ...newInvoice('t'), currency, lines }).lines;
  expect(sent.reduce((total, { quantity, unit_amount }) => total + quantity * unit_amount, 0)).toBe(sum);
});

test('a problem of an invoice names its field, and a price that the currency cannot express is one', () => {
  expect(problemsOf(newInvoice(''))).toMatchObject({
    tenant_id: 'Choose a tenant.',
    'lines.0.description': 'Enter a description.',
    'lines.0.unit_amount': 'Enter a price.',
  });
  const values = { ...newInvoice('t'), currency: 'jpy', lines: [line(1, '10'), line(1, '10.5'), emptyLine] };
  expect(Object.keys(problemsOf(values))).toEqual([
    'lines.1.unit_amount',
    'lines.2.description',
    'lines.2.unit_amount',
  ]);
});
