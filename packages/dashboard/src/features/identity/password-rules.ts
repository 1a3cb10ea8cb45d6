/** The length that the service demands of a new password. */
export const passwordLength = { min: 12, max: 256 } as const;

/** Validates a new password; returns an error message or null. */
export function checkNewPassword(password: string): string | null {
  if (password.length < passwordLength.min) return `Enter at least ${passwordLength.min} characters.`;
  if (password.length > passwordLength.max) return `Enter at most ${passwordLength.max} characters.`;
  return null;
}

/** Validates an email address; returns an error message or null. The service validates it again. */
export function checkEmail(email: string): string | null {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(email.trim()) ? null : 'Enter an email address.';
}

/** Returns a check that a text is not blank. */
export function required(what: string): (value: string) => string | null {
  return (value) => (value.trim() === '' ? `Enter ${what}.` : null);
}
