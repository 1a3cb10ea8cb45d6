import { hash } from 'node:crypto';

/** A strong entity tag (RFC 9110, section 8.8.3) of what is answered to a context. */
export function entityTag(...texts: readonly string[]): string {
  return `"${hash('sha256', texts.join('\n'), 'base64url')}"`;
}

/** Whether `If-None-Match` (RFC 9110, section 13.1.2) names the tag. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // The tags hold no comma, and are compared weakly.
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
