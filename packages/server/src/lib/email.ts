/** Returns the spelling under which an email address is stored and looked up: trimmed and in lower case. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Returns the spelling by which holders of licenses are compared: trimmed, with the letters A to Z in lower case. Both
 * engines fold exactly these letters (`foldedEmail` in db/dialect.ts).
 */
export function foldEmail(email: string): string {
  return email.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns true if a text has the form of an email address whose domain has a dot: nobody has mail at `ada@example`. */
export function isEmailAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text);
}
