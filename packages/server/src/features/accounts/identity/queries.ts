import type { PlatformDb, PlatformTransaction, PreparedRead } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { AccessTokensTable, LoginMethod, TenantRole } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { type Ability, type Subject, toAdmin, toUser } from './subject.ts';

/** An enabled user or admin, with the data that a login checks. */
export interface Account {
  readonly subject: Subject;
  readonly passwordHash: string | null;
  /** Whether a login requires a code. */
  readonly hasTwoFactor: boolean;
}

/** A token joined with its user or admin. The columns of the other table are null. */
interface TokenRow {
  readonly id: string;
  readonly ability: Ability;
  readonly subject_id: string;
  readonly expires_at: Timestamp;
  readonly last_used_at: Timestamp | null;
  readonly login_method: LoginMethod;
  readonly two_factor_confirmed_at: Timestamp | null;
  readonly user_email: string | null;
  readonly user_name: string | null;
  readonly user_email_verified_at: Timestamp | null;
  readonly user_created_at: Timestamp | null;
  readonly admin_email: string | null;
  readonly admin_name: string | null;
  readonly admin_role: 'admin' | 'billing_readonly' | 'billing_admin' | 'super_admin' | null;
  readonly admin_created_at: Timestamp | null;
}

/** A token and its enabled subject. */
export interface LiveToken {
  readonly id: string;
  readonly expiresAt: Timestamp;
  readonly lastUsedAt: Timestamp | null;
  readonly hasTwoFactor: boolean;
  readonly method: LoginMethod;
  readonly subject: Subject;
}

const tokenByHash: PreparedRead<PlatformTables, TokenRow> = {
  name: 'access-token-by-hash',
  build: (db, parameter) =>
    db
      .selectFrom('access_tokens as token')
      .leftJoin('users', (join) =>
        join
          .onRef('users.id', '=', 'token.subject_id')
          .on('token.ability', '=', 'tenant')
          .on('users.disabled_at', 'is', null),
      )
      .leftJoin('admins', (join) =>
        join
          .onRef('admins.id', '=', 'token.subject_id')
          .on('token.ability', '=', 'admin')
          .on('admins.disabled_at', 'is', null),
      )
      .leftJoin('two_factor', (join) =>
        join.onRef('two_factor.ability', '=', 'token.ability').onRef('two_factor.subject_id', '=', 'token.subject_id'),
      )
      .select('two_factor.confirmed_at as two_factor_confirmed_at')
      .select(['token.id', 'token.ability', 'token.subject_id', 'token.expires_at', 'token.last_used_at'])
      .select('token.login_method')
      .select([
        'users.email as user_email',
        'users.name as user_name',
        'users.email_verified_at as user_email_verified_at',
        'users.created_at as user_created_at',
        'admins.email as admin_email',
        'admins.name as admin_name',
        'admins.role as admin_role',
        'admins.created_at as admin_created_at',
      ])
      .where('token.token_hash', '=', parameter(0)),
};

/**
 * Reads a token and its subject with one query. Returns undefined if there is no such token or if its subject is
 * deleted or disabled. Does not check the expiry.
 */
export async function findLiveToken(platform: PlatformDb, tokenHash: string): Promise<LiveToken | undefined> {
  const row = await platform.first(tokenByHash, [tokenHash]);
  const subject = row === undefined ? undefined : subjectOf(row);
  if (row === undefined || subject === undefined) return undefined;
  const { id, expires_at: expiresAt, last_used_at: lastUsedAt, login_method: method } = row;
  return { id, expiresAt, lastUsedAt, hasTwoFactor: row.two_factor_confirmed_at !== null, method, subject };
}

function subjectOf(row: TokenRow): Subject | undefined {
  const {
    subject_id: id,
    user_email,
    user_name,
    user_created_at,
    admin_email,
    admin_name,
    admin_role,
    admin_created_at,
  } = row;
  if (user_email !== null && user_name !== null && user_created_at !== null) {
    const { user_email_verified_at: email_verified_at } = row;
    return {
      ability: 'tenant',
      user: { id, email: user_email, name: user_name, email_verified_at, created_at: user_created_at },
    };
  }
  if (admin_email !== null && admin_name !== null && admin_role !== null && admin_created_at !== null) {
    return {
      ability: 'admin',
      admin: { id, email: admin_email, name: admin_name, role: admin_role, created_at: admin_created_at },
    };
  }
  return undefined;
}

/** Inserts an access token. */
export async function insertToken(tx: PlatformTransaction, row: AccessTokensTable): Promise<void> {
  await tx.insertInto('access_tokens').values(row).execute();
}

/** Deletes a token. Returns false if it did not exist. */
export async function deleteToken(tx: PlatformTransaction, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('access_tokens').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes a subject's tokens except one. */
export async function deleteOtherTokens(
  tx: PlatformTransaction,
  ability: Ability,
  subjectId: string,
  keptId: string,
): Promise<void> {
  await tx
    .deleteFrom('access_tokens')
    .where('subject_id', '=', subjectId)
    .where('ability', '=', ability)
    .where('id', '!=', keptId)
    .execute();
}

/** Deletes all tokens of a subject. */
export async function deleteTokensOf(tx: PlatformTransaction, ability: Ability, subjectId: string): Promise<void> {
  await tx.deleteFrom('access_tokens').where('subject_id', '=', subjectId).where('ability', '=', ability).execute();
}

/** Deletes up to `limit` expired tokens. Returns the number of deleted rows. */
export async function deleteExpiredTokens(platform: PlatformDb, now: Timestamp, limit: number): Promise<number> {
  const expired = platform.query
    .selectFrom('access_tokens')
    .select('id')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);
  const result = await platform.query.deleteFrom('access_tokens').where('id', 'in', expired).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Stores another hash of a token, after the application key was rotated. */
export async function rehashToken(platform: PlatformDb, id: string, tokenHash: string): Promise<void> {
  await platform.query.updateTable('access_tokens').set({ token_hash: tokenHash }).where('id', '=', id).execute();
}

/** Stores when and from which client address a token was last used. */
export async function touchToken(
  platform: PlatformDb,
  id: string,
  use: { readonly at: Timestamp; readonly ip: string },
): Promise<void> {
  const changes = { last_used_at: use.at, ip: use.ip };
  await platform.query.updateTable('access_tokens').set(changes).where('id', '=', id).execute();
}

/** Returns the enabled user or admin with a normalised address; undefined if there is none. */
export function findAccount(platform: PlatformDb, ability: Ability, email: string): Promise<Account | undefined> {
  return ability === 'tenant' ? findUserAccount(platform, email) : findAdminAccount(platform, email);
}

async function findUserAccount(platform: PlatformDb, email: string): Promise<Account | undefined> {
  const row = await platform.query
    .selectFrom('users')
    .leftJoin('two_factor', (join) =>
      join.onRef('two_factor.subject_id', '=', 'users.id').on('two_factor.ability', '=', 'tenant'),
    )
    .selectAll('users')
    .select('two_factor.confirmed_at')
    .where('email', '=', email)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return row && accountOf({ ability: 'tenant', user: toUser(row) }, row);
}

async function findAdminAccount(platform: PlatformDb, email: string): Promise<Account | undefined> {
  const row = await platform.query
    .selectFrom('admins')
    .leftJoin('two_factor', (join) =>
      join.onRef('two_factor.subject_id', '=', 'admins.id').on('two_factor.ability', '=', 'admin'),
    )
    .selectAll('admins')
    .select('two_factor.confirmed_at')
    .where('email', '=', email)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return row && accountOf({ ability: 'admin', admin: toAdmin(row) }, row);
}

function accountOf(
  subject: Subject,
  row: { readonly password_hash: string | null; readonly confirmed_at: Timestamp | null },
): Account {
  return { subject, passwordHash: row.password_hash, hasTwoFactor: row.confirmed_at !== null };
}

/** Returns the password hash of an enabled user or admin; null if there is none. */
export async function findPasswordHash(platform: PlatformDb, ability: Ability, id: string): Promise<string | null> {
  const row = await platform.query
    .selectFrom(ability === 'tenant' ? 'users' : 'admins')
    .select('password_hash')
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return row?.password_hash ?? null;
}

/**
 * Locks the row of a user or admin until the transaction ends, if it is enabled and still has the given password hash.
 * Returns false otherwise.
 */
export async function lockUnchangedAccount(
  tx: PlatformTransaction,
  ability: Ability,
  id: string,
  passwordHash: string,
): Promise<boolean> {
  const table = ability === 'tenant' ? 'users' : 'admins';
  const query = tx
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('password_hash', '=', passwordHash)
    .where('disabled_at', 'is', null);
  return (await forUpdate(tx, query).executeTakeFirst()) !== undefined;
}

/** A tenant of a user, as the response to a login shows it. */
export interface UserTenant {
  readonly id: string;
  readonly name: string;
  readonly role: TenantRole;
  readonly status: TenantsTable['status'];
}

/** The response to a login lists a user's tenants without pages. No user belongs to this many in practice. */
const maxTenants = 1000;

/** Returns the tenants of a user in the order of joining, at most 1,000. */
export function listTenantsOfUser(platform: PlatformDb, userId: string): Promise<UserTenant[]> {
  return platform.query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id as id', 'tenants.name as name', 'memberships.role as role', 'tenants.status as status'])
    .where('memberships.user_id', '=', userId)
    .orderBy('memberships.created_at')
    .orderBy('memberships.id')
    .limit(maxTenants)
    .execute();
}
