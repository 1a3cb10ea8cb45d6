import type { Timestamp } from '../../../lib/clock.ts';

/** Means of authentication other than passwords, in the platform database. */
export interface AuthenticationTables {
  mail_links: MailLinksTable;
  two_factor: TwoFactorTable;
  recovery_codes: RecoveryCodesTable;
  email_changes: EmailChangesTable;
}

/** A valid link that was mailed to a user. One per user and purpose: a new link replaces the previous one. */
export interface MailLinksTable {
  user_id: string;
  purpose: 'verify_email' | 'reset_password';
  /** HMAC-SHA256 of the token under the application key, hex. */
  token_hash: string;
  created_at: Timestamp;
  expires_at: Timestamp;
}

/** The authenticator app of a user or an admin. */
export interface TwoFactorTable {
  ability: 'tenant' | 'admin';
  subject_id: string;
  /** The shared secret in base32, encrypted under the application key. */
  sealed_secret: string;
  /** When a first code proved that the app has the secret; null before. A login needs a code only afterwards. */
  confirmed_at: Timestamp | null;
  /** The time step (RFC 6238) of the last accepted code. Codes of this or an earlier step are refused. */
  last_used_step: number;
  created_at: Timestamp;
}

/** A recovery code, which replaces a code of the app once. Using it deletes the row. */
export interface RecoveryCodesTable {
  ability: 'tenant' | 'admin';
  subject_id: string;
  /** SHA-256 of the code, hex. 80 random bits need no key, so the code stays valid when the application key changes. */
  code_hash: string;
}

/**
 * A requested or confirmed change of a user's address. One that is not confirmed is pending; each user has at most one.
 * Confirmed changes are kept as the history of the user's addresses.
 */
export interface EmailChangesTable {
  id: string;
  user_id: string;
  /** The session that requested the change. A confirmation ends every other session. */
  session_id: string;
  old_email: string;
  new_email: string;
  /** HMAC-SHA256 under the application key, hex, of the token that was mailed to the new address. */
  confirm_hash: string;
  /** HMAC-SHA256 under the application key, hex, of the token that was mailed to the old address. */
  revert_hash: string;
  created_at: Timestamp;
  /** When the link to the new address expires. */
  expires_at: Timestamp;
  /** When the link to the old address expires; equal to `created_at` if that address was never verified. */
  revertible_until: Timestamp;
  confirmed_at: Timestamp | null;
}
