import { sql } from 'kysely';
import type { PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Inserts a user unless the address is taken, also by a concurrent registration, or reserved: another user has left it
 * and can still revert that change.
 */
export async function insertUserIfNew(tx: PlatformTransaction, row: UsersTable): Promise<void> {
  const columns = [
    'id',
    'email',
    'name',
    'password_hash',
    'email_verified_at',
    'disabled_at',
    'created_at',
    'updated_at',
  ] as const;
  const values = columns.map((column) => sql<string>`cast(${row[column]} as text)`.as(column));
  const isReserved = tx
    .selectFrom('email_changes')
    .select('id')
    .where('old_email', '=', row.email)
    .where('revertible_until', '>', row.created_at)
    .where('confirmed_at', 'is not', null);
  await tx
    .insertInto('users')
    .columns(columns)
    .expression(tx.selectNoFrom(values).where(({ exists, not }) => not(exists(isReserved))))
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
}

/** Reads a user, disabled or not, by id or by normalised address, and locks the row until the transaction ends. */
export function lockUser(
  tx: PlatformTransaction,
  column: 'id' | 'email',
  value: string,
): Promise<UsersTable | undefined> {
  return forUpdate(tx, tx.selectFrom('users').selectAll().where(column, '=', value)).executeTakeFirst();
}

/** Marks a user's address as verified. Does nothing if it is already verified. */
export async function markEmailVerified(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email_verified_at: at, updated_at: at })
    .where('id', '=', id)
    .where('email_verified_at', 'is', null)
    .execute();
}

/** Updates the given columns of a user. Fails with a violation of `users_email_unique` if another user has the address. */
export async function updateUserRow(
  tx: PlatformTransaction,
  id: string,
  changes: Partial<Omit<UsersTable, 'id' | 'created_at'>>,
): Promise<void> {
  await tx.updateTable('users').set(changes).where('id', '=', id).execute();
}

/**
 * Inserts a user. If the address is taken, sets that user's password and marks the address as verified instead. Returns
 * undefined and changes nothing if that user is disabled.
 */
export function upsertVerifiedUser(tx: PlatformTransaction, row: UsersTable): Promise<UsersTable | undefined> {
  return tx
    .insertInto('users')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('email')
        .doUpdateSet((eb) => ({
          password_hash: row.password_hash,
          email_verified_at: eb.fn.coalesce('users.email_verified_at', eb.val(row.email_verified_at)),
          updated_at: row.updated_at,
        }))
        .where('users.disabled_at', 'is', null),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Returns the user with a normalised address, disabled or not; undefined if there is none. */
export function findUserByEmail(tx: PlatformTransaction, email: string): Promise<UsersTable | undefined> {
  return tx.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

/** Returns the id of the user with a normalised address, or undefined. */
export async function findUserIdByEmail(tx: PlatformTransaction, email: string): Promise<string | undefined> {
  return (await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst())?.id;
}

/** Returns true if a user has the id. */
export async function isUserIdTaken(tx: PlatformTransaction, id: string): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Inserts a user. Fails with a unique violation if the id or the address is taken. */
export async function insertUser(tx: PlatformTransaction, row: UsersTable): Promise<void> {
  await tx.insertInto('users').values(row).execute();
}
