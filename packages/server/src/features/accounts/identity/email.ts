import { Type } from 'typebox';

/** An e-mail address as callers send it (RFC 5321 allows 254 characters). */
export const Email = Type.String({ format: 'email', maxLength: 254 });

/** The one spelling under which an address is stored and looked up: trimmed and in lower case. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
