import type { Timestamp } from '../../../lib/clock.ts';

/** Users, admins, memberships, invitations and access tokens, in the platform database. */
export interface IdentityTables {
  users: UsersTable;
  memberships: MembershipsTable;
  admins: AdminsTable;
  access_tokens: SessionsTable;
  invitations: InvitationsTable;
}

/** A user, who may be a member of any number of tenants. */
export interface UsersTable {
  id: string;
  /** Unique; trimmed and in lower case. */
  email: string;
  name: string;
  password_hash: string | null;
  email_verified_at: Timestamp | null;
  disabled_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The roles of a member of a tenant. */
export type TenantRole = 'owner' | 'admin' | 'support' | 'viewer';

/** The membership of a user in a tenant. Unique per tenant and user. */
export interface MembershipsTable {
  id: string;
  tenant_id: string;
  user_id: string;
  role: TenantRole;
  created_at: Timestamp;
}

/** The roles of an admin that the column `role` accepts. */
export type StoredAdminRole = 'admin' | 'billing_readonly' | 'billing_admin' | 'super_admin';

/** The roles of an admin of the installation. */
export type AdminRole = StoredAdminRole | 'auditor';

/** An admin of the installation. */
export interface AdminsTable {
  id: string;
  email: string;
  name: string;
  role: StoredAdminRole;
  /** Null until the invitation is accepted. */
  password_hash: string | null;
  disabled_at: Timestamp | null;
  /** Null unless the role is `auditor`. An auditor has the stored role `admin` and a `disabled_at`, enabled or not. */
  auditor_access: 'enabled' | 'disabled' | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/**
 * The session of a person, created by a login. Its table keeps its first name, `access_tokens`: a migration cannot rename
 * a table that the previous version still uses. Access tokens for automation are in `tenant_access_tokens`.
 */
export interface SessionsTable {
  id: string;
  /** HMAC-SHA256 under the application key, hex. */
  token_hash: string;
  ability: 'tenant' | 'admin';
  /** A user's id or an admin's id, by `ability`. */
  subject_id: string;
  device_name: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
  last_used_at: Timestamp | null;
  /** How the person logged in; `password` in rows of earlier versions. */
  login_method: LoginMethod;
  /** The client address of the last use, to a minute, or of the login; null if an earlier version inserted the row. */
  ip: string | null;
}

/** How a person logs in: with a password, or with the operator's provider of OpenID Connect. */
export type LoginMethod = 'password' | 'oidc';

/** `expires_at` of an invitation is `created_at` plus this. Queries may bound `created_at` by it to use its index. */
export const invitationLifetimeDays = 7;

/** An invitation of a tenant's member or of an admin. It is kept after it was accepted. */
export interface InvitationsTable {
  id: string;
  kind: 'tenant' | 'admin';
  email: string;
  name: string | null;
  /** Null for `admin`. */
  tenant_id: string | null;
  /** The invited admin's row; null for `tenant`. */
  admin_id: string | null;
  role: TenantRole | StoredAdminRole;
  token_hash: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  accepted_at: Timestamp | null;
}

/** Means of authentication other than passwords, in the platform database. */
export interface AuthenticationTables {
  mail_links: MailLinksTable;
  earlier_mail_links: MailLinksTable;
  two_factor: TwoFactorTable;
  recovery_codes: RecoveryCodesTable;
  email_changes: EmailChangesTable;
}

/**
 * A link that was mailed to a user. `mail_links` has the newest one per user and purpose, as in earlier versions;
 * `earlier_mail_links` has those before it, which stay valid until one of the user's links of the purpose is used.
 */
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

/** Users' requests about their own data, in the platform database. */
export interface AccountTables {
  account_exports: AccountExportsTable;
  account_export_parts: AccountExportPartsTable;
  account_deletions: AccountDeletionsTable;
}

/** An export of all data about a user. Each user has at most one unfinished export. */
export interface AccountExportsTable {
  id: string;
  user_id: string;
  status: 'pending' | 'running' | 'ready' | 'failed';
  done_steps: number;
  total_steps: number;
  /** Where the export continues. It changes with every part, so that only one of two concurrent runs can continue. */
  position_json: string;
  part_count: number;
  failures: number;
  created_at: Timestamp;
  /** When it became `ready` or `failed`; null before. */
  finished_at: Timestamp | null;
  expires_at: Timestamp;
}

/** Some rows of one section, encrypted under the application key. */
export interface AccountExportPartsTable {
  export_id: string;
  position: number;
  section: string;
  sealed_rows: string;
}

/** A user whose data will be erased. No foreign key: the row is kept after the user row until everything is erased. */
export interface AccountDeletionsTable {
  user_id: string;
  /** `scheduled` can be cancelled; `erasing` and `cleaning` cannot. */
  phase: 'scheduled' | 'erasing' | 'cleaning';
  requested_at: Timestamp;
  scheduled_for: Timestamp;
  /** When the erasure was first postponed because a tenant would have lost its last owner; null if never. */
  postponed_at: Timestamp | null;
  /** The id of the last tenant whose database was processed. */
  tenant_cursor: string | null;
}
