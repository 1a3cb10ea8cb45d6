import { randomUUIDv7 } from 'node:crypto';

/** Returns a new UUID version 7 (RFC 9562). It sorts by creation time, so inserts touch few index pages. */
export function newId(): string {
  return randomUUIDv7();
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns true for a UUID in lower case, the only spelling that is stored. */
export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}

/** Returns an id as it is stored, in lower case (callers may write either case, RFC 9562); other text unchanged. */
export function idOrText(text: string): string {
  const lower = text.toLowerCase();
  return isUuid(lower) ? lower : text;
}
