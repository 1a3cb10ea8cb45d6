import type { Timestamp } from '../../../lib/clock.ts';

/** Identities at a provider of OpenID Connect, and logins in progress, in the platform database. */
export interface SingleSignOnTables {
  user_identities: UserIdentitiesTable;
  admin_identities: AdminIdentitiesTable;
  sign_on_attempts: SignOnAttemptsTable;
  sign_on_codes: SignOnCodesTable;
}

/** The account of a person at a provider. Unique per issuer and subject, and per account and issuer. */
interface IdentityRow {
  id: string;
  /** The URL that identifies the provider. */
  issuer: string;
  /** The person's id there, which never changes and is never given to another person. */
  subject: string;
  /** The verified address by which the account was found or created. */
  email: string;
  linked_at: Timestamp;
  last_used_at: Timestamp;
}

/** An identity of a user. */
export interface UserIdentitiesTable extends IdentityRow {
  user_id: string;
}

/** An identity of an admin. */
export interface AdminIdentitiesTable extends IdentityRow {
  admin_id: string;
}

/** A login that was sent to the provider and has not returned. Its return deletes the row. */
export interface SignOnAttemptsTable {
  /** HMAC-SHA256 of the `state` under the application key, hex. */
  state_hash: string;
  /** HMAC-SHA256 of the cookie of the browser that started it, hex. */
  browser_hash: string;
  ability: 'tenant' | 'admin';
  /** The path of the dashboard to open after the login. */
  return_to: string | null;
  /** The `nonce` and the PKCE code verifier as JSON, encrypted under the application key. */
  sealed_checks: string;
  created_at: Timestamp;
  expires_at: Timestamp;
}

/** A finished login that the dashboard exchanges for a token. The exchange deletes the row. */
export interface SignOnCodesTable {
  /** HMAC-SHA256 of the code under the application key, hex. */
  code_hash: string;
  browser_hash: string;
  ability: 'tenant' | 'admin';
  subject_id: string;
  created_at: Timestamp;
  expires_at: Timestamp;
}
