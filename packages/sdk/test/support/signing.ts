import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { PublicJwk } from '../../src/index.ts';

/** A key pair as the service has one per tenant. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly jwk: PublicJwk;
}

/** Creates a key pair. */
export function newSigningKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } };
}

/** Returns base64url of a text, or of an object as JSON. */
export function encode(part: string | object): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** Signs any header and any claims, however wrong they are. */
export function signedToken({ privateKey }: SigningKey, header: string | object, claims: string | object): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** Signs with HMAC-SHA256, with the bytes of the public key as the secret: a well-known attack. */
export function macToken({ jwk }: SigningKey, header: object, claims: object): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', Buffer.from(jwk.x, 'base64url')).update(signed).digest('base64url')}`;
}
