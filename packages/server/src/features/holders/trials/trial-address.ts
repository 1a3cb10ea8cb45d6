import { createHash } from 'node:crypto';
import { foldEmail } from '../../../lib/email.ts';

/** Returns what a trial keeps of an address that was erased: enough to recognise it, and too little to write to it. */
export function erasedEmailKey(productId: string, email: string): string {
  return `sha256:${createHash('sha256')
    .update(`${productId} ${foldEmail(email)}`)
    .digest('hex')}`;
}

/** Returns the forms in which the trial of an address can be stored: the folded address, and its hash after an erasure. */
export function emailKeys(productId: string, email: string): readonly string[] {
  return [foldEmail(email), erasedEmailKey(productId, email)];
}
