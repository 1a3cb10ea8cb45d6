import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { parseOptions } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

test('a password verifies only against its own hash', async () => {
  const hash = await hashPassword('correct horse battery');
  expect(await verifyPassword(hash, 'correct horse battery')).toBe(true);
  expect(await verifyPassword(hash, 'correct horse batterz')).toBe(false);
});

test('hashPassword uses Argon2id with 19 MiB, 2 passes and a random salt', async () => {
  const hash = await hashPassword('correct horse battery');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(parseOptions(hash)).toMatchObject({ saltLen: 16, outputLen: 32 });
  expect(await hashPassword('correct horse battery')).not.toBe(hash);
});

test('an account without a password accepts no password', async () => {
  expect(await verifyPassword(null, 'correct horse battery')).toBe(false);
  expect(await verifyPassword(null, '')).toBe(false);
});

test('a password verifies in every Unicode normalisation form', async () => {
  const hash = await hashPassword('ångström-über-alles'.normalize('NFC'));
  expect(await verifyPassword(hash, 'ångström-über-alles'.normalize('NFD'))).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'only threads that hash yield to the event loop, by ten nice levels',
  async () => {
    const own = getPriority();
    await hashPassword('correct horse battery');
    const priorities = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
    expect(getPriority()).toBe(own);
    expect(new Set(priorities)).toEqual(new Set([own, Math.min(own + 10, 19)]));
  },
);
