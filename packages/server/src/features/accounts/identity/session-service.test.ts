import { expect, test } from 'vitest';
import { foldEmail } from '../../../lib/email.ts';
import { parseBearer } from './session-service.ts';

const token = `service_${'0123456789abcdef'.repeat(4)}`;

test.each([
  [`Bearer ${token}`, token],
  [`bearer ${token}`, token],
  [`BEARER   ${token}`, token],
  [token, undefined],
  [`Basic ${token}`, undefined],
  [`Bearer ${token.toUpperCase()}`, undefined],
  [`Bearer ${token} `, undefined],
  [`Bearer ${token}, Bearer ${token}`, undefined],
  [`Bearer ${token}0`, undefined],
  [`Bearer vx_${'0'.repeat(64)}`, undefined],
  ['Bearer', undefined],
  ['', undefined],
])('the Authorization header %j contains the token %j', (header, expected) =>
  expect(parseBearer(header)).toBe(expected),
);

test('email addresses that differ only in case and surrounding space are normalised to the same address', () => {
  expect(foldEmail(' Ada@Example.COM\n')).toBe('ada@example.com');
});
