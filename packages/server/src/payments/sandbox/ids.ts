import { randomBytes } from 'node:crypto';
import { newId } from '../../lib/ids.ts';

/**
 * The id of a new invoice. Two of one moment are ordered by their ids wherever invoices are numbered, so that these
 * follow the time.
 */
export function newInvoiceId(): string {
  return `in_${newId().replaceAll('-', '')}`;
}

/** A new id with a prefix that says what it is of. It cannot be guessed: that of a checkout opens its page. */
export function newSandboxId(prefix: 'cs' | 'cus' | 'sub' | 'evt'): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
