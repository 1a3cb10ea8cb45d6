import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * Rounds make guessing slow, and 256 random bits cannot be guessed: more of them would only cost each new connection a
 * millisecond of processor.
 */
const iterationsOfRandom = 1;
const saltBytes = 16;

/**
 * What PostgreSQL keeps of a password of ASCII characters (RFC 5803, with SHA-256 of RFC 7677): given to `CREATE ROLE` in
 * place of the password, it keeps that out of the statement and so out of the server's log. For random passwords only.
 */
export function scramVerifier(
  password: string,
  salt: Uint8Array = randomBytes(saltBytes),
  iterations = iterationsOfRandom,
): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${Buffer.from(salt).toString('base64')}$${storedKey}:${serverKey}`;
}
