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
export type TenantRole = 'owner' | 'admin' | 'viewer';

/** The membership of a user in a tenant. Unique per tenant and user. */
export interface MembershipsTable {
  id: string;
  tenant_id: string;
  user_id: string;
  role: TenantRole;
  created_at: Timestamp;
}

/** The roles of an admin of the installation. */
export type AdminRole = 'admin' | 'billing_readonly' | 'billing_admin' | 'super_admin';

/** An admin of the installation. */
export interface AdminsTable {
  id: string;
  email: string;
  name: string;
  role: AdminRole;
  /** Null until the invitation is accepted. */
  password_hash: string | null;
  disabled_at: Timestamp | null;
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
  role: TenantRole | AdminRole;
  token_hash: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  accepted_at: Timestamp | null;
}
