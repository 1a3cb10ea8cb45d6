import { expect, test } from 'vitest';
import { newTrialCode, typedTrialCode } from './trial-code.ts';

test('a code is found as people type it', () => {
  const code = newTrialCode();
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  for (const typed of [code, code.toLowerCase(), code.replace('-', ''), ` ${code.replace('-', ' – ')} `]) {
    expect(typedTrialCode(typed)).toBe(code);
  }
  expect(typedTrialCode('ol1i-0000')).toBe('0111-0000');
});
