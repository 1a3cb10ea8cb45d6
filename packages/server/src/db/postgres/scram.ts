import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * Many iterations slow down guessing. A password of 256 random bits cannot be guessed, so more than one iteration would
 * only cost each new connection a millisecond of CPU time.
 */
const iterationsOfRandom = 1;
const saltBytes = 16;

const hmac = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest();

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
  // The keys of RFC 5802, section 3.
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest();
  const serverKey = hmac(salted, 'Server Key');
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return `SCRAM-SHA-256$${iterations}:${base64(salt)}$${base64(storedKey)}:${base64(serverKey)}`;
}
