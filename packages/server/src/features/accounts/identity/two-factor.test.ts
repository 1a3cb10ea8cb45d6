import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { newRecoveryCodes, newSecret, otpauthUrl, recoveryCodeHash, stepOfCode } from './two-factor.ts';

/** The secret of RFC 6238, appendix B. The codes below are the last six of the eight digits given there. */
const rfcSecret = Secret.fromUTF8('12345678901234567890').base32;

test.each([
  [59, '287082', 1],
  [1_111_111_109, '081804', 37_037_036],
  [1_111_111_111, '050471', 37_037_037],
  [1_234_567_890, '005924', 41_152_263],
  [2_000_000_000, '279037', 66_666_666],
])('the code of the RFC 6238 test vector at second %i is accepted', (second, code, step) => {
  expect(stepOfCode(rfcSecret, code, second * 1000)).toBe(step);
});

test('a code is accepted from one time step before its own to one time step after it', () => {
  const secret = newSecret();
  const startMs = 1_800_000_000_000;
  const code = new TOTP({ secret }).generate({ timestamp: startMs });
  const accepted = (offsetMs: number) => stepOfCode(secret, code, startMs + offsetMs) === startMs / 30_000;
  expect([-30_001, -30_000, 0, 29_999, 59_999, 60_000].map(accepted)).toEqual([false, true, true, true, true, false]);
});

test.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '-12345'])(
  'the text %j is not accepted as a code',
  (code) => {
    expect(stepOfCode(rfcSecret, code, 59_000)).toBeNull();
  },
);

test('the otpauth URL contains the secret, the account, the issuer, the digits and the period', () => {
  const url = new URL(otpauthUrl(rfcSecret, 'ada+x@example.com'));
  expect([url.protocol, url.host]).toEqual(['otpauth:', 'totp']);
  expect(decodeURIComponent(url.pathname)).toBe('/Licensing:ada+x@example.com');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    secret: rfcSecret,
    issuer: 'Licensing',
    digits: '6',
    period: '30',
  });
});

test('the ten recovery codes differ, and case, spaces, hyphens and look-alikes do not change their hash', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    const hash = recoveryCodeHash(code);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(recoveryCodeHash(` ${code.toUpperCase().replaceAll('-', ' ')} `)).toBe(hash);
    expect(recoveryCodeHash(code.replaceAll('0', 'O').replaceAll('1', 'l'))).toBe(hash);
  }
});

test.each(['', '287082', 'abcd-efgh', 'u'.repeat(16)])('the text %j is not accepted as a recovery code', (code) => {
  expect(recoveryCodeHash(code)).toBeNull();
});
