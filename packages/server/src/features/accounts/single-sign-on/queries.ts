import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { SignOnAttemptsTable, SignOnCodesTable } from '../../../db/tables/platform/single-sign-on.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Ability } from '../identity/subject.ts';

/** Inserts a login that is being sent to the provider. */
export async function insertAttempt(platform: PlatformDb, row: SignOnAttemptsTable): Promise<void> {
  await platform.query.insertInto('sign_on_attempts').values(row).execute();
}

/** Whose rows to find: the possible hashes of the secret in the URL and of the cookie. */
interface Holder {
  readonly hashes: readonly string[];
  readonly browserHashes: readonly string[];
}

/** Deletes an unexpired login of a browser and returns it, so that it works once; undefined if there is none. */
export async function takeAttempt(
  platform: PlatformDb,
  { hashes, browserHashes }: Holder,
  now: Timestamp,
): Promise<SignOnAttemptsTable | undefined> {
  return platform.query
    .deleteFrom('sign_on_attempts')
    .where('state_hash', 'in', hashes)
    .where('browser_hash', 'in', browserHashes)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Inserts a code that the dashboard exchanges for a token. */
export async function insertCode(tx: PlatformTransaction, row: SignOnCodesTable): Promise<void> {
  await tx.insertInto('sign_on_codes').values(row).execute();
}

/** Returns whose login an unexpired code of a browser completes; undefined if there is none. */
export function findCode(
  platform: PlatformDb,
  { hashes, browserHashes }: Holder,
  now: Timestamp,
): Promise<SignOnCodesTable | undefined> {
  return platform.query
    .selectFrom('sign_on_codes')
    .selectAll()
    .where('code_hash', 'in', hashes)
    .where('browser_hash', 'in', browserHashes)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Deletes a code. Returns false if another request has used it. */
export async function takeCode(tx: PlatformTransaction, codeHash: string): Promise<boolean> {
  const result = await tx.deleteFrom('sign_on_codes').where('code_hash', '=', codeHash).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes the codes of a user or an admin. */
export async function deleteCodesOf(tx: PlatformTransaction, ability: Ability, subjectId: string): Promise<void> {
  await tx.deleteFrom('sign_on_codes').where('ability', '=', ability).where('subject_id', '=', subjectId).execute();
}

/** Deletes up to `limit` expired logins in progress. Returns the number of deleted rows. */
export async function deleteExpiredAttempts(platform: PlatformDb, now: Timestamp, limit: number): Promise<number> {
  const expired = platform.query
    .selectFrom('sign_on_attempts')
    .select('state_hash')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);
  const result = await platform.query
    .deleteFrom('sign_on_attempts')
    .where('state_hash', 'in', expired)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Deletes up to `limit` expired codes. Returns the number of deleted rows. */
export async function deleteExpiredCodes(platform: PlatformDb, now: Timestamp, limit: number): Promise<number> {
  const expired = platform.query
    .selectFrom('sign_on_codes')
    .select('code_hash')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);
  const result = await platform.query.deleteFrom('sign_on_codes').where('code_hash', 'in', expired).executeTakeFirst();
  return Number(result.numDeletedRows);
}
