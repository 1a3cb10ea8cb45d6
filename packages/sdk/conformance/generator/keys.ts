import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** The fixed keys that sign the tokens of the cases. They protect nothing. */
export interface TestKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Readonly<Record<string, string>>;
}

/** The DER prefix of an Ed25519 private key (RFC 8410, section 7); 32 bytes of seed follow. */
const privateKeyPrefix = '302e020100300506032b657004220420';

/** Returns the key with this name: always the same one, so that every run generates the same tokens. */
export function testKey(name: string): TestKey {
  const seed = createHash('sha256').update(`licensing conformance ${name}`).digest('hex');
  const der = Buffer.from(privateKeyPrefix + seed, 'hex');
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  const kid = createHash('sha256').update(members).digest('base64url');
  return { kid, privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } };
}

/** Encodes a value as base64url of its JSON. */
export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Returns a compact JWS over the encoded header and the encoded claims. */
export function signParts(header: string, claims: string, key: TestKey): string {
  const signed = `${header}.${claims}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
}

/** Returns a token as the service signs it. */
export function signToken(type: string, claims: object, key: TestKey): string {
  return signParts(encode({ alg: 'EdDSA', typ: type, kid: key.kid }), encode(claims), key);
}
