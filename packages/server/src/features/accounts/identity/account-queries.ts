import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { insertRow } from '../../../db/rows.ts';
import type { AdminsTable, TenantRole, UsersTable } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { type Admin, fromStored, isEnabled, toStoredState } from './stored-admin.ts';
import { type Ability, type Subject, type SubjectName, subjectKinds, toSubject } from './subject.ts';

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

interface SubjectRows {
  readonly tenant: UsersTable;
  readonly admin: Admin;
}

/**
 * Reads a user or an admin, disabled or not, by id or by normalised address, and locks the row until the transaction
 * ends.
 */
export async function lockSubject<Kind extends Ability>(
  tx: PlatformTransaction,
  ability: Kind,
  column: 'id' | 'email',
  value: string,
): Promise<SubjectRows[Kind] | undefined> {
  const query = tx.selectFrom(subjectKinds[ability].table).selectAll().where(column, '=', value);
  const row = await forUpdate(tx, query).executeTakeFirst();
  return row && (toKnownRow(row) as SubjectRows[Kind]);
}

/** Returns a row of users as it is, and one of admins as the service works with it. */
function toKnownRow<Row extends UsersTable | AdminsTable>(row: Row): UsersTable | Admin {
  return 'auditor_access' in row ? fromStored(row) : row;
}

/** Updates the columns that users and admins share. */
export async function updateSubject(
  tx: PlatformTransaction,
  { ability, id }: SubjectName,
  changes: Partial<Pick<UsersTable, 'name' | 'password_hash' | 'disabled_at'>> & Pick<UsersTable, 'updated_at'>,
): Promise<void> {
  await tx.updateTable(subjectKinds[ability].table).set(changes).where('id', '=', id).execute();
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

/**
 * Updates the given columns of a user. Fails with a violation of `users_email_unique` if another user has the address.
 */
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

/** Returns the id of the user with a normalised address, or undefined. */
export async function findUserIdByEmail(tx: PlatformTransaction, email: string): Promise<string | undefined> {
  return (await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst())?.id;
}

/** Returns true if a user has the id. */
export async function isUserIdTaken(tx: PlatformTransaction, id: string): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Inserts an admin. Fails with a violation of `admins_email_unique` if the address is taken. */
export async function insertAdmin(tx: PlatformTransaction, admin: Admin): Promise<void> {
  await insertRow(tx, 'admins', { ...admin, ...toStoredState(admin) });
}

/**
 * Returns the ids of the admins who can act as super_admin: enabled and with a password. Locks the rows in the order of
 * their ids, so that two concurrent demotions run one after the other, and the second one sees the result of the first.
 */
export async function lockEffectiveSuperAdmins(tx: PlatformTransaction): Promise<string[]> {
  const query = tx
    .selectFrom('admins')
    .select('id')
    .where('role', '=', 'super_admin')
    .where('auditor_access', 'is', null)
    .where('disabled_at', 'is', null)
    .where('password_hash', 'is not', null)
    .orderBy('id');
  return (await forUpdate(tx, query).execute()).map((row) => row.id);
}

/** Updates the name, role and disabled state of an admin. */
export async function saveAdmin(tx: PlatformTransaction, admin: Admin): Promise<void> {
  const { id, name, updated_at } = admin;
  const changes = { name, updated_at, ...toStoredState(admin) };
  await tx.updateTable('admins').set(changes).where('id', '=', id).execute();
}

/** Sets the name and the password of an enabled admin. Returns undefined if there is no such admin. */
export async function setAdminPassword(
  tx: PlatformTransaction,
  id: string,
  change: { readonly name: string; readonly passwordHash: string; readonly at: Timestamp },
): Promise<Admin | undefined> {
  const row = await tx
    .updateTable('admins')
    .set({ name: change.name, password_hash: change.passwordHash, updated_at: change.at })
    .where('id', '=', id)
    .where(isEnabled.admin)
    .returningAll()
    .executeTakeFirst();
  return row && fromStored(row);
}

/** An enabled user or admin, with the data that a login checks. */
export interface Account {
  readonly subject: Subject;
  readonly passwordHash: string | null;
  /** Whether a login requires a code. */
  readonly hasTwoFactor: boolean;
}

/** Returns the enabled user or admin with a normalised address; undefined if there is no such account. */
export async function findAccount(platform: PlatformDb, ability: Ability, email: string): Promise<Account | undefined> {
  const row = await platform.query
    .selectFrom(subjectKinds[ability].table)
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('two_factor')
        .select('two_factor.confirmed_at')
        .where('two_factor.ability', '=', ability)
        .whereRef('two_factor.subject_id', '=', 'id')
        .as('confirmed_at'),
    )
    .where('email', '=', email)
    .where(isEnabled[ability])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    subject: toSubject(ability, toKnownRow(row)),
    passwordHash: row.password_hash,
    hasTwoFactor: row.confirmed_at !== null,
  };
}

/** Returns the password hash of an enabled user or admin; null without a password. */
export async function findPasswordHash(platform: PlatformDb, { ability, id }: SubjectName): Promise<string | null> {
  const row = await platform.query
    .selectFrom(subjectKinds[ability].table)
    .select('password_hash')
    .where('id', '=', id)
    .where(isEnabled[ability])
    .executeTakeFirst();
  return row?.password_hash ?? null;
}

/**
 * Locks the row of a user or admin until the transaction ends, if it is enabled and still has the given password hash.
 * Returns false otherwise.
 */
export async function lockUnchangedAccount(
  tx: PlatformTransaction,
  { ability, id }: SubjectName,
  passwordHash: string,
): Promise<boolean> {
  const query = tx
    .selectFrom(subjectKinds[ability].table)
    .select('id')
    .where('id', '=', id)
    .where('password_hash', '=', passwordHash)
    .where(isEnabled[ability]);
  return (await forUpdate(tx, query).executeTakeFirst()) !== undefined;
}

/** A tenant of a user, with the user's role in it. */
export interface UserTenant {
  readonly id: string;
  readonly name: string;
  readonly role: TenantRole;
  readonly status: TenantsTable['status'];
  readonly live_tenant_id: TenantsTable['live_tenant_id'];
  readonly joined_at: Timestamp;
  /** After a failed payment: when the tenant is suspended. */
  readonly payment_due_at: Timestamp | null;
  /** Null: the demo did not create the tenant. */
  readonly demo_row_id: string | null;
}

/** A user's tenants are listed without pages. No user belongs to this many in practice. */
const maxTenants = 1000;

/** Returns the tenants of a user in the order of joining, at most 1,000. */
export function listTenantsOfUser(platform: PlatformDb, userId: string): Promise<UserTenant[]> {
  return platform.query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id as id', 'tenants.name as name', 'tenants.status as status'])
    .select(['tenants.live_tenant_id as live_tenant_id'])
    .select(['memberships.role as role', 'memberships.created_at as joined_at'])
    .select(({ selectFrom }) =>
      selectFrom('subscriptions')
        .select('subscriptions.grace_ends_at')
        .whereRef('subscriptions.tenant_id', '=', 'tenants.id')
        .where('subscriptions.past_due_since', 'is not', null)
        .orderBy('subscriptions.grace_ends_at')
        .limit(1)
        .as('payment_due_at'),
    )
    .select(({ selectFrom }) =>
      selectFrom('demo_rows')
        .select('demo_rows.row_id')
        .whereRef('demo_rows.row_id', '=', 'tenants.id')
        .where('demo_rows.table_name', '=', 'tenants')
        .as('demo_row_id'),
    )
    .where('memberships.user_id', '=', userId)
    .orderBy('memberships.created_at')
    .orderBy('memberships.id')
    .limit(maxTenants)
    .execute();
}

/** Deletes these users, except those who belong to a tenant. */
export async function deleteUsersWithoutTenant(tx: PlatformTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .deleteFrom('users')
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memberships').select('id').whereRef('user_id', '=', 'users.id'))),
    )
    .execute();
}
