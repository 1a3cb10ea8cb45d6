import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { scramVerifier } from './client.ts';

// RFC 7677, section 3: the exchange of the user "user" with the password "pencil".
const exchange = {
  salt: 'W22ZaJ0SNY7soEsUEjb6gQ==',
  messages: [
    'n=user,r=rOprNGfwEbeRWgbNEkqO',
    'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
  ].join(','),
  proof: 'dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
  serverSignature: '6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
};

test('the verifier proves both sides of the exchange in RFC 7677', () => {
  const verifier = scramVerifier('pencil', Buffer.from(exchange.salt, 'base64'), 4096);
  const [, storedKey = '', serverKey = ''] =
    /^SCRAM-SHA-256\$4096:W22ZaJ0SNY7soEsUEjb6gQ==\$(.+):(.+)$/.exec(verifier) ?? [];
  const signed = (key: string) => createHmac('sha256', Buffer.from(key, 'base64')).update(exchange.messages).digest();
  expect(signed(serverKey).toString('base64')).toBe(exchange.serverSignature);
  // The server computes the client's key from the proof and compares its hash with the stored key.
  const signature = signed(storedKey);
  const clientKey = Buffer.from(exchange.proof, 'base64').map((byte, index) => byte ^ (signature[index] ?? 0));
  expect(createHash('sha256').update(clientKey).digest('base64')).toBe(storedKey);
});

test('each call returns a different verifier for the same password', () => {
  expect(scramVerifier('pencil')).not.toBe(scramVerifier('pencil'));
});
