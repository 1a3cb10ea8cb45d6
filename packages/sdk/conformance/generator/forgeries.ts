import { createHmac } from 'node:crypto';
import { encode, signParts, type TestKey, testKey } from './keys.ts';

/** A token that must be refused, and the last segment of the code that says so. */
export interface Forgery {
  readonly title: string;
  readonly token: string;
  readonly reason: string;
}

const trusted = testKey('trusted key');
const foreign = testKey('foreign key');

/** The order of the group of Ed25519 (RFC 8032, section 5.1), which must not be added to a signature. */
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Returns every forgery of a token of this type with these claims: no verifier may accept one of them. */
export function forgeries(type: string, claims: Readonly<Record<string, unknown>>): Forgery[] {
  const header = { alg: 'EdDSA', typ: type, kid: trusted.kid };
  const token = signParts(encode(header), encode(claims), trusted);
  const [head = '', body = '', signature = ''] = token.split('.');
  const withHeader = (changes: object, key: TestKey = trusted) =>
    signParts(encode({ ...header, ...changes }), encode(claims), key);
  const hmac = (secret: string | Buffer) => {
    const signed = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  const publicKey = trusted.jwk['x'] ?? '';
  const one = (title: string, forged: string, reason: string): Forgery => ({ title, token: forged, reason });
  return [
    one('the algorithm none without a signature', `${encode({ ...header, alg: 'none' })}.${body}.`, 'MALFORMED'),
    one('the algorithm none with a signature', withHeader({ alg: 'none' }), 'ALGORITHM_REFUSED'),
    one('the algorithm nOnE', withHeader({ alg: 'nOnE' }), 'ALGORITHM_REFUSED'),
    one('HMAC with the public key as the secret', hmac(Buffer.from(publicKey, 'base64url')), 'ALGORITHM_REFUSED'),
    one('HMAC with the text of the public key as the secret', hmac(publicKey), 'ALGORITHM_REFUSED'),
    one('HMAC with an empty secret', hmac(''), 'ALGORITHM_REFUSED'),
    one('another algorithm than the key has', withHeader({ alg: 'ES256' }), 'ALGORITHM_REFUSED'),
    one('no algorithm', withHeader({ alg: undefined }), 'ALGORITHM_REFUSED'),
    one(
      'a key that is not in the key set',
      signParts(encode({ ...header, kid: foreign.kid }), body, foreign),
      'KEY_UNKNOWN',
    ),
    one(
      'the id of a trusted key over the signature of another key',
      signParts(head, body, foreign),
      'SIGNATURE_INVALID',
    ),
    one('no key id', withHeader({ kid: undefined }), 'KEY_UNKNOWN'),
    one('a key id that is not a text', withHeader({ kid: [trusted.kid] }), 'KEY_UNKNOWN'),
    one('a key id that is a path', withHeader({ kid: '../../dev/null' }), 'KEY_UNKNOWN'),
    one('a key id that is a property of every object', withHeader({ kid: '__proto__' }), 'KEY_UNKNOWN'),
    one('a public key of its own in the header', withHeader({ jwk: foreign.jwk }, foreign), 'SIGNATURE_INVALID'),
    one(
      'the URL of a key set in the header',
      withHeader({ jku: 'http://127.0.0.1:9/jwks.json', kid: foreign.kid }, foreign),
      'KEY_UNKNOWN',
    ),
    one('another type', withHeader({ typ: type === 'license+jwt' ? 'verdict+jwt' : 'license+jwt' }), 'TYPE_REFUSED'),
    one('the general type of tokens', withHeader({ typ: 'JWT' }), 'TYPE_REFUSED'),
    one('no type', withHeader({ typ: undefined }), 'TYPE_REFUSED'),
    one('a critical header', withHeader({ crit: ['exp'] }), 'MALFORMED'),
    one('an unencoded payload (RFC 7797)', withHeader({ b64: false, crit: ['b64'] }), 'MALFORMED'),
    one('an empty signature', `${head}.${body}.`, 'MALFORMED'),
    one('no third part', `${head}.${body}`, 'MALFORMED'),
    one('a shortened signature', `${head}.${body}.${signature.slice(0, 40)}`, 'SIGNATURE_INVALID'),
    one('a changed byte in the signature', `${head}.${body}.${changeByte(signature, 10)}`, 'SIGNATURE_INVALID'),
    one('a changed claim', `${head}.${encode({ ...claims, exp: 4_102_444_800 })}.${signature}`, 'SIGNATURE_INVALID'),
    one(
      'a header with a changed space',
      `${Buffer.from(`${JSON.stringify(header)} `).toString('base64url')}.${body}.${signature}`,
      'SIGNATURE_INVALID',
    ),
    one('the signature of another token', `${head}.${body}.${otherSignature(type)}`, 'SIGNATURE_INVALID'),
    one('a signature of zeros', `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`, 'SIGNATURE_INVALID'),
    one(
      'a second signature made from the first one',
      `${head}.${body}.${addGroupOrder(signature)}`,
      'SIGNATURE_INVALID',
    ),
    one('padding', `${head}.${body}.${signature}==`, 'MALFORMED'),
    one('spare bits at the end of the signature', `${head}.${body}.${setSpareBit(signature)}`, 'MALFORMED'),
    one(
      'the other base64 alphabet',
      `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}+`,
      'MALFORMED',
    ),
    one('a line break at the end', `${token}\n`, 'MALFORMED'),
    one('a line break inside', `${head}.\n${body}.${signature}`, 'MALFORMED'),
    one('a space in front', ` ${token}`, 'MALFORMED'),
    one('a fourth part', `${token}.${signature}`, 'MALFORMED'),
    one('an empty text', '', 'MALFORMED'),
    one('two dots', '..', 'MALFORMED'),
    one('a text that is no token', 'VALID', 'MALFORMED'),
    one('letters beyond ASCII', `${token}é`, 'MALFORMED'),
    one('claims that are a list', signParts(head, encode([claims]), trusted), 'MALFORMED'),
    one('claims that are not JSON', signParts(head, Buffer.from('{valid').toString('base64url'), trusted), 'MALFORMED'),
    one(
      'claims that are not UTF-8',
      signParts(head, Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url'), trusted),
      'MALFORMED',
    ),
    one(
      'claims that are nested without end',
      signParts(head, Buffer.from('['.repeat(5_000)).toString('base64url'), trusted),
      'MALFORMED',
    ),
    one('a header that is a list', signParts(encode([header]), body, trusted), 'MALFORMED'),
  ];
}

/** Returns tokens that the trusted key signed, with claims that do not fit. */
export function unfit(type: string, claims: Readonly<Record<string, unknown>>): Forgery[] {
  const header = encode({ alg: 'EdDSA', typ: type, kid: trusted.kid });
  const one = (title: string, changes: object, reason: string): Forgery => {
    return { title, token: signParts(header, encode({ ...claims, ...changes }), trusted), reason };
  };
  return [
    one('another issuer', { iss: 'https://licensing.example.org' }, 'ISSUER_MISMATCH'),
    one('the issuer with a slash at its end', { iss: `${claims['iss']}/` }, 'ISSUER_MISMATCH'),
    one('no issuer', { iss: undefined }, 'MALFORMED'),
    one('another audience', { aud: '01920000-0000-7000-8000-0000000000ff' }, 'AUDIENCE_MISMATCH'),
    one('no audience', { aud: undefined }, 'MALFORMED'),
    one('an audience that is an object', { aud: { aud: claims['aud'] } }, 'MALFORMED'),
    one('no end', { exp: undefined }, 'MALFORMED'),
    one('an end that is a text', { exp: '4102444800' }, 'MALFORMED'),
    one('an end that is null', { exp: null }, 'MALFORMED'),
    one('an end that is true', { exp: true }, 'MALFORMED'),
  ];
}

function otherSignature(type: string): string {
  const token = signParts(encode({ alg: 'EdDSA', typ: type, kid: trusted.kid }), encode({ sub: 'other' }), trusted);
  return token.split('.')[2] ?? '';
}

function changeByte(text: string, index: number): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return bytes.toString('base64url');
}

/** Sets a bit of the last character that no byte uses: lenient decoders ignore it. */
function setSpareBit(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(text.slice(-1));
  return text.slice(0, -1) + alphabet.charAt(last | 1);
}

/** Returns R and S + L: lenient verifiers reduce S and accept it, so that a token would have two forms. */
function addGroupOrder(text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  const little = Buffer.from(bytes.subarray(32)).reverse();
  const sum = BigInt(`0x${little.toString('hex')}`) + groupOrder;
  const changed = Buffer.from(sum.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), changed]).toString('base64url');
}
