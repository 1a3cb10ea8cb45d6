import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * Many iterations slow down guessing. A password of 256 random bits cannot be guessed, so more than one iteration would
 * only cost each new connection a millisecond of CPU time.
 */
const iterationsOfRandom = 1;
const saltBytes = 16;

/** The keys that SCRAM derives from a password (RFC 5802, section 3). */
interface ScramKeys {
  readonly clientKey: Uint8Array;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

const hmac = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest();

function deriveKeys(password: string, salt: Uint8Array, iterations: number): ScramKeys {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const clientKey = hmac(salted, 'Client Key');
  const storedKey = createHash('sha256').update(clientKey).digest();
  return { clientKey, storedKey, serverKey: hmac(salted, 'Server Key') };
}

/**
 * Returns the SCRAM-SHA-256 verifier that PostgreSQL stores for an ASCII password (RFC 5803, RFC 7677). `CREATE ROLE`
 * accepts it in place of the password, which then does not appear in the server's log. Use it for random passwords
 * only.
 */
export function scramVerifier(
  password: string,
  salt: Uint8Array = randomBytes(saltBytes),
  iterations = iterationsOfRandom,
): string {
  const { storedKey, serverKey } = deriveKeys(password, salt, iterations);
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return `SCRAM-SHA-256$${iterations}:${base64(salt)}$${base64(storedKey)}:${base64(serverKey)}`;
}

/** The messages of an exchange before the client's proof. */
interface ScramExchange {
  readonly password: string;
  /** The client's first message without its header: `n=…,r=…`. */
  readonly clientFirst: string;
  readonly serverFirst: string;
}

/** The client's proof that it knows the password, and the server's signature that it must receive in return. */
interface ScramProof {
  /** The client's final message. */
  readonly clientFinal: string;
  readonly serverSignature: string;
}

/** More iterations would block the event loop for longer than a millisecond or two. */
const iterationsMax = 4096;
const serverFirstPattern = /^r=([!-+\--~]+),s=([A-Za-z0-9+/]+={0,2}),i=([1-9][0-9]{0,8})$/;

/**
 * Proves the knowledge of an ASCII password without channel binding. Returns undefined where `pg` must continue the
 * exchange instead, because the server's message has extensions, asks for more than 4,096 iterations, or does not
 * continue the client's nonce.
 */
export function proveScram({ password, clientFirst, serverFirst }: ScramExchange): ScramProof | undefined {
  const [, nonce = '', salt = '', iterations = ''] = serverFirstPattern.exec(serverFirst) ?? [];
  const clientNonce = clientFirst.slice(clientFirst.indexOf(',r=') + 3);
  const isContinued = nonce.startsWith(clientNonce) && nonce.length > clientNonce.length;
  if (!isContinued || Number(iterations) > iterationsMax) return undefined;
  const keys = deriveKeys(password, Buffer.from(salt, 'base64'), Number(iterations));
  const withoutProof = `c=biws,r=${nonce}`;
  const messages = `${clientFirst},${serverFirst},${withoutProof}`;
  const signature = hmac(keys.storedKey, messages);
  const proof = Buffer.from(keys.clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  return {
    clientFinal: `${withoutProof},p=${proof.toString('base64')}`,
    serverSignature: hmac(keys.serverKey, messages).toString('base64'),
  };
}
