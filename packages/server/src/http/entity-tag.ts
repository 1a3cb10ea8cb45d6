import { hash } from 'node:crypto';

/** Returns a strong entity tag (RFC 9110, section 8.8.3) for the given texts. */
export function entityTag(...texts: readonly string[]): string {
  return `"${hash('sha256', texts.join('\n'), 'base64url')}"`;
}

/** Returns true if an `If-None-Match` header (RFC 9110, section 13.1.2) contains the tag. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // Tags of this service contain no comma. If-None-Match uses the weak comparison.
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
