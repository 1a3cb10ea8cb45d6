import type { PlatformTransaction } from '../../../db/database.ts';
import type { AdminRole, AdminsTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { newId } from '../../../lib/ids.ts';
import { insertAdmin, lockAdminRow, lockSuperAdminRows, updateAdminPassword, updateAdminRow } from './admin-queries.ts';

interface NewAdmin {
  readonly email: string;
  readonly name: string;
  readonly role: AdminRole;
  /** Null for an admin who is invited and sets the password when accepting the invitation. */
  readonly passwordHash: string | null;
  readonly at: Timestamp;
}

/**
 * Inserts an enabled admin, in the caller's transaction. Fails with a violation of `admins_email_unique` if another
 * admin has the address.
 */
export async function createAdmin(tx: PlatformTransaction, input: NewAdmin): Promise<AdminsTable> {
  const admin: AdminsTable = {
    id: newId(),
    email: normalizeEmail(input.email),
    name: input.name,
    role: input.role,
    password_hash: input.passwordHash,
    disabled_at: null,
    created_at: input.at,
    updated_at: input.at,
  };
  await insertAdmin(tx, admin);
  return admin;
}

/** Reads an admin by id and locks the row until the transaction ends. Returns undefined if there is none. */
export function lockAdmin(tx: PlatformTransaction, id: string): Promise<AdminsTable | undefined> {
  return lockAdminRow(tx, 'id', id);
}

/** Reads an admin by address and locks the row until the transaction ends. Returns undefined if there is none. */
export function lockAdminByEmail(tx: PlatformTransaction, email: string): Promise<AdminsTable | undefined> {
  return lockAdminRow(tx, 'email', normalizeEmail(email));
}

/** Locks the enabled super_admins who have a password, in the order of their ids, and returns the ids. */
export function lockEffectiveSuperAdmins(tx: PlatformTransaction): Promise<string[]> {
  return lockSuperAdminRows(tx);
}

/** Stores the name, role and disabled state of a locked admin. */
export function saveAdmin(tx: PlatformTransaction, admin: AdminsTable): Promise<void> {
  return updateAdminRow(tx, admin);
}

/** Sets the name and the password of an enabled admin. Returns undefined if no enabled admin has this id. */
export function setAdminPassword(
  tx: PlatformTransaction,
  id: string,
  change: { readonly name: string; readonly passwordHash: string; readonly at: Timestamp },
): Promise<AdminsTable | undefined> {
  return updateAdminPassword(tx, id, change);
}
