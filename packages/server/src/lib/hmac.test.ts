import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHmacSha256 } from './hmac.ts';

// RFC 4231, sections 4.2 and 4.3.
test.each([
  ['0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe').toString('hex'),
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
])('createHmacSha256 computes the RFC 4231 test vector with the key %s', (key, message, digest) => {
  expect(createHmacSha256(Buffer.from(key, 'hex'))(message)).toBe(digest);
});

test('createHmacSha256 agrees with OpenSSL for every key of up to 64 bytes and every text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.array(fc.string({ unit: 'grapheme' })), (bytes, messages) => {
      const key = Buffer.from(bytes);
      const hmac = createHmacSha256(key);
      for (const message of messages) {
        expect(hmac(message)).toBe(createHmac('sha256', key).update(message).digest('hex'));
      }
    }),
  );
});

test('createHmacSha256 returns base64 if it is asked to', () => {
  const key = Buffer.alloc(32, 7);
  const hmac = createHmacSha256(key, { encoding: 'base64', fastLengthMax: 10 });
  for (const message of ['short', 'longer than ten']) {
    expect(hmac(message)).toBe(createHmac('sha256', key).update(message).digest('base64'));
  }
});

test.each([511, 512, 513, 100_000])('createHmacSha256 agrees with OpenSSL for a text of %i characters', (length) => {
  const key = Buffer.alloc(32, 7);
  for (const character of ['x', 'ß', '€']) {
    const message = character.repeat(length);
    expect(createHmacSha256(key)(message)).toBe(createHmac('sha256', key).update(message).digest('hex'));
  }
});

test('createHmacSha256 rejects a key longer than 64 bytes', () => {
  expect(() => createHmacSha256(Buffer.alloc(65))).toThrow('at most 64 bytes');
});
