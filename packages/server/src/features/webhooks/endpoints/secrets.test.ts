import { Webhook } from 'standardwebhooks';
import { expect, test, vi } from 'vitest';
import { createKeyring } from '../../../lib/keyring.ts';
import { createSigner, newSecret, resealSecrets, rotateSecret } from './secrets.ts';

const keyring = createKeyring('0123456789abcdefghijklmnopqrstuvwxyz');
const at = '2026-11-20T12:00:00.000000Z';
const nowMs = Date.parse(at);
const message = { id: 'event-1', body: '{"name":"Müller"}', at };

/** Verifies a request with the library of the Standard Webhooks specification. */
function isVerified(secret: string, headers: Record<string, string>, body = message.body): boolean {
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  } finally {
    vi.useRealTimers();
  }
}

test('the library of the standard verifies a signature, and rejects it for any other secret, body or id', () => {
  const { secret, sealed } = newSecret(keyring);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const headers = createSigner(keyring, at)(sealed, message);
  expect(headers['webhook-timestamp']).toBe(String(nowMs / 1000));
  expect(isVerified(secret, headers)).toBe(true);
  expect(isVerified(newSecret(keyring).secret, headers)).toBe(false);
  expect(isVerified(secret, headers, '{"name":"Other"}')).toBe(false);
  expect(isVerified(secret, { ...headers, 'webhook-id': 'event-2' })).toBe(false);
});

test('for 24 h after a rotation both secrets verify, and then only the new one', () => {
  const before = newSecret(keyring);
  const after = rotateSecret(keyring, before.sealed, at);
  const during = createSigner(keyring, '2026-11-21T11:59:59.999999Z')(after.sealed, message);
  expect(during['webhook-signature']?.split(' ')).toHaveLength(2);
  expect([before, after].map(({ secret }) => isVerified(secret, during))).toEqual([true, true]);
  const later = createSigner(keyring, '2026-11-21T12:00:00.000000Z')(after.sealed, message);
  expect([before, after].map(({ secret }) => isVerified(secret, later))).toEqual([false, true]);
});

test('a second rotation within 24 h does not extend or shorten the validity of the first secret', () => {
  const first = newSecret(keyring);
  const second = rotateSecret(keyring, first.sealed, at);
  const third = rotateSecret(keyring, second.sealed, '2026-11-20T18:00:00.000000Z');
  const verifiedAt = (now: string) => {
    const headers = createSigner(keyring, now)(third.sealed, message);
    return [first, second, third].map(({ secret }) => isVerified(secret, headers));
  };
  expect(verifiedAt('2026-11-21T11:00:00.000000Z')).toEqual([true, true, true]);
  expect(verifiedAt('2026-11-21T12:00:00.000000Z')).toEqual([false, true, true]);
  expect(verifiedAt('2026-11-21T18:00:00.000000Z')).toEqual([false, false, true]);
});

test('stored secrets are encrypted, and another application key cannot decrypt them', () => {
  const { secret, sealed } = newSecret(keyring);
  expect(sealed).not.toContain(secret.slice('whsec_'.length));
  const other = createKeyring('another-application-key-0123456789ab');
  expect(() => createSigner(other, at)(sealed, message)).toThrow(/APP_PREVIOUS_KEYS/);
});

test('secrets are encrypted again after the application key has changed', () => {
  const { secret, sealed } = newSecret(keyring);
  const newKey = 'another-application-key-0123456789ab';
  const both = createKeyring(newKey, ['0123456789abcdefghijklmnopqrstuvwxyz']);
  expect(resealSecrets(keyring, sealed)).toBeNull();
  const resealed = resealSecrets(both, sealed) ?? '';
  expect(resealSecrets(both, resealed)).toBeNull();
  expect(isVerified(secret, createSigner(createKeyring(newKey), at)(resealed, message))).toBe(true);
});
