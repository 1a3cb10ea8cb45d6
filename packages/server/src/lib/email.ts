/** Returns the spelling under which an e-mail address is stored and looked up: trimmed and in lower case. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
