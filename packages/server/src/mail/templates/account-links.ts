import type { Timestamp } from '../../lib/clock.ts';

/** The links that prove a mailbox, as mails about accounts carry them. */
export interface AccountLinks {
  readonly to: string;
  readonly publicUrl: string;
  readonly tokens: { readonly verify_email: string; readonly reset_password: string };
  readonly expiresAt: Timestamp;
}

/** The token stands behind `#`, which no browser sends to a server or its logs. */
export function verifyEmailUrl({ publicUrl, tokens }: AccountLinks): string {
  return `${publicUrl}/verify-email#token=${tokens.verify_email}`;
}

/** As `verifyEmailUrl`. */
export function resetPasswordUrl({ publicUrl, tokens }: AccountLinks): string {
  return `${publicUrl}/reset-password#token=${tokens.reset_password}`;
}
