/** The length that the service demands of a new password. */
export const passwordLength = { min: 12, max: 256 } as const;

/** Returns what is wrong with a new password, or null. */
export function checkNewPassword(password: string): string | null {
  if (password.length < passwordLength.min) return `must have ${passwordLength.min} characters or more`;
  if (password.length > passwordLength.max) return `must have ${passwordLength.max} characters or fewer`;
  return null;
}

/** Returns what is wrong with an email address, or null. The service has the last word. */
export function checkEmail(email: string): string | null {
  return /^\S+@\S+$/.test(email.trim()) ? null : 'must be an email address';
}

/** Returns a check that a text is not blank. */
export function required(what: string): (value: string) => string | null {
  return (value) => (value.trim() === '' ? `Enter ${what}.` : null);
}
