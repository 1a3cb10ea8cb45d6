import { randomBytes } from 'node:crypto';

/** A new id with a prefix that says what it is of. It cannot be guessed: that of a checkout opens its page. */
export function newSandboxId(prefix: 'cs' | 'cus' | 'sub' | 'in' | 'evt'): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
