import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { AdminRole, AdminsTable } from '../../../db/tables/platform/identity.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';

interface ListAdmins extends PageRequest {
  readonly role?: AdminRole | undefined;
}

export function listAdmins(platform: PlatformDb, options: ListAdmins): Promise<AdminsTable[]> {
  const { role } = options;
  const query = platform.query.selectFrom('admins').selectAll();
  return paginate(role === undefined ? query : query.where('role', '=', role), options).execute();
}

export async function insertAdmin(tx: PlatformTransaction, row: AdminsTable): Promise<void> {
  await tx.insertInto('admins').values(row).execute();
}

/** Reads an admin by id or by normalised address, and keeps others from changing the row meanwhile. */
export function lockAdmin(
  tx: PlatformTransaction,
  column: 'id' | 'email',
  value: string,
): Promise<AdminsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('admins').selectAll().where(column, '=', value)).executeTakeFirst();
}

/**
 * The ids of those who can act as super_admin: enabled and with a password. The rows are locked in one order, so that
 * two who demote each other at once wait for one another and neither counts on somebody who is about to go.
 */
export async function lockEffectiveSuperAdmins(tx: PlatformTransaction): Promise<string[]> {
  const query = tx
    .selectFrom('admins')
    .select('id')
    .where('role', '=', 'super_admin')
    .where('disabled_at', 'is', null)
    .where('password_hash', 'is not', null)
    .orderBy('id');
  return (await forUpdate(tx, query).execute()).map((row) => row.id);
}

export async function updateAdminRow(
  tx: PlatformTransaction,
  { id, name, role, disabled_at, updated_at }: AdminsTable,
): Promise<void> {
  await tx.updateTable('admins').set({ name, role, disabled_at, updated_at }).where('id', '=', id).execute();
}
