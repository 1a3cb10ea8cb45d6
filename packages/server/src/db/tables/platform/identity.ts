import type { Timestamp } from '../../../lib/clock.ts';

// Who may log in, and to what they belong, in the platform database.

export interface IdentityTables {
  users: UsersTable;
  memberships: MembershipsTable;
  admins: AdminsTable;
  access_tokens: AccessTokensTable;
  invitations: InvitationsTable;
}

export interface UsersTable {
  id: string;
  /** Trimmed and in lower case: unique. */
  email: string;
  name: string;
  password_hash: string | null;
  email_verified_at: Timestamp | null;
  disabled_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export type TenantRole = 'owner' | 'admin' | 'viewer';

export interface MembershipsTable {
  id: string;
  tenant_id: string;
  user_id: string;
  role: TenantRole;
  created_at: Timestamp;
}

export type AdminRole = 'admin' | 'billing_readonly' | 'billing_admin' | 'super_admin';

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

export interface AccessTokensTable {
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
}

/** `expires_at` of an invitation is `created_at` plus this. Queries may bound `created_at` by it to use its index. */
export const invitationLifetimeDays = 7;

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
