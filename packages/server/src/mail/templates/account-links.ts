import type { Timestamp } from '../../lib/clock.ts';

/** The tokens that prove ownership of a mailbox, for the links in account mails. */
export interface AccountLinks {
  readonly to: string;
  readonly publicUrl: string;
  readonly tokens: { readonly verify_email: string; readonly reset_password: string };
  readonly expiresAt: Timestamp;
}

/** Returns the link that verifies an address. The token is in the fragment, which browsers do not send to servers. */
export function verifyEmailUrl({ publicUrl, tokens }: AccountLinks): string {
  return `${publicUrl}/verify-email#token=${tokens.verify_email}`;
}

/** Returns the link that sets a new password. The token is in the fragment, which browsers do not send to servers. */
export function resetPasswordUrl({ publicUrl, tokens }: AccountLinks): string {
  return `${publicUrl}/reset-password#token=${tokens.reset_password}`;
}
