import { type SqlBool, sql } from 'kysely';
import type { AdminRole, AdminsTable } from '../../../db/tables/platform/identity.ts';

/** An admin, with the role and the state that the service works with. */
export interface Admin extends Omit<AdminsTable, 'role' | 'auditor_access'> {
  role: AdminRole;
}

/** The columns of a row that say what an admin's role is and whether the admin is disabled. */
type StoredState = Pick<AdminsTable, 'role' | 'disabled_at' | 'auditor_access'>;

/** Returns the columns of an admin's role and state. A version that does not know auditors finds them disabled. */
export function toStoredState({ role, disabled_at, updated_at }: Admin): StoredState {
  if (role !== 'auditor') return { role, disabled_at, auditor_access: null };
  const auditor_access = disabled_at === null ? 'enabled' : 'disabled';
  return { role: 'admin', disabled_at: disabled_at ?? updated_at, auditor_access };
}

/** Returns an admin as the service works with it. */
export function fromStored({ auditor_access, ...row }: AdminsTable): Admin {
  if (auditor_access === null) return row;
  return { ...row, role: 'auditor', disabled_at: auditor_access === 'enabled' ? null : row.disabled_at };
}

/** Returns the role of a stored admin. */
export function roleOf({ role, auditor_access }: Pick<StoredState, 'role' | 'auditor_access'>): AdminRole {
  return auditor_access === null ? role : 'auditor';
}

/** Conditions that a row is enabled, by the ability of its person. */
export const isEnabled = {
  tenant: sql<SqlBool>`users.disabled_at is null`,
  admin: sql<SqlBool>`(admins.disabled_at is null or admins.auditor_access = 'enabled')`,
} as const;
