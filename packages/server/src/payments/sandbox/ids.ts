import { randomBytes } from 'node:crypto';
import { newId } from '../../lib/ids.ts';

/**
 * Returns a new invoice id. Ids sort by creation, because invoices with the same timestamp are numbered in the order of
 * their ids.
 */
export function newInvoiceId(): string {
  return `in_${newId().replaceAll('-', '')}`;
}

/**
 * Returns a new random id with a type prefix. It has 128 random bits, because the id of a checkout gives access to its
 * page.
 */
export function newSandboxId(prefix: 'cs' | 'cus' | 'sub' | 'evt' | 'cn'): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}

/** Returns the id of an object that this service has an id (a UUID) for, so that repeated calls create it once. */
export function sandboxIdOf(prefix: 'cus' | 'in', ownId: string): string {
  return `${prefix}_${ownId.replaceAll('-', '')}`;
}
