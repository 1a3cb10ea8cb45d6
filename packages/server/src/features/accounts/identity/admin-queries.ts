import type { PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { AdminsTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Inserts an admin. Fails with a violation of `admins_email_unique` if the address is taken. */
export async function insertAdmin(tx: PlatformTransaction, row: AdminsTable): Promise<void> {
  await tx.insertInto('admins').values(row).execute();
}

/** Reads an admin by id or by normalised address and locks the row until the transaction ends. */
export function lockAdminRow(
  tx: PlatformTransaction,
  column: 'id' | 'email',
  value: string,
): Promise<AdminsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('admins').selectAll().where(column, '=', value)).executeTakeFirst();
}

/**
 * Returns the ids of the admins who can act as super_admin: enabled and with a password. Locks the rows in the order of
 * their ids, so that two concurrent demotions run one after the other, and the second one sees the result of the first.
 */
export async function lockSuperAdminRows(tx: PlatformTransaction): Promise<string[]> {
  const query = tx
    .selectFrom('admins')
    .select('id')
    .where('role', '=', 'super_admin')
    .where('disabled_at', 'is', null)
    .where('password_hash', 'is not', null)
    .orderBy('id');
  return (await forUpdate(tx, query).execute()).map((row) => row.id);
}

/** Updates the name, role and disabled state of an admin. */
export async function updateAdminRow(
  tx: PlatformTransaction,
  { id, name, role, disabled_at, updated_at }: AdminsTable,
): Promise<void> {
  await tx.updateTable('admins').set({ name, role, disabled_at, updated_at }).where('id', '=', id).execute();
}

/** Sets the name and the password of an enabled admin. Returns undefined if there is none with this id. */
export function updateAdminPassword(
  tx: PlatformTransaction,
  id: string,
  change: { readonly name: string; readonly passwordHash: string; readonly at: Timestamp },
): Promise<AdminsTable | undefined> {
  return tx
    .updateTable('admins')
    .set({ name: change.name, password_hash: change.passwordHash, updated_at: change.at })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
