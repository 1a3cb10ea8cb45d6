import type { Timestamp } from '../../../lib/clock.ts';

/** In the platform database: how people prove who they are, beside their passwords. */
export interface AuthenticationTables {
  mail_links: MailLinksTable;
  two_factor: TwoFactorTable;
  recovery_codes: RecoveryCodesTable;
}

/** A link that was mailed to a user and still works. One per user and purpose: a newer one takes the place of the older. */
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
  /** Null until a first code proved that the app has the secret: nobody is asked for codes before. */
  confirmed_at: Timestamp | null;
  /** The time step (RFC 6238) of the last code that was accepted: neither it nor an older one is again. */
  last_used_step: number;
  created_at: Timestamp;
}

/** A code that stands in for the app once; its row goes with its use. */
export interface RecoveryCodesTable {
  ability: 'tenant' | 'admin';
  subject_id: string;
  /** SHA-256 of the code, hex: 80 random bits need no key, and so outlive a change of the application key. */
  code_hash: string;
}
