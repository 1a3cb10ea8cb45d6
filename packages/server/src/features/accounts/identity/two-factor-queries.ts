import type { PlatformTransaction } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type { TwoFactorTable } from '../../../db/tables/platform/identity.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { SubjectName } from './subject.ts';

/** Returns the authenticator app of a subject, confirmed or not. */
export function findTwoFactor(
  tx: PlatformTransaction,
  { ability, id }: SubjectName,
): Promise<TwoFactorTable | undefined> {
  return findRow(tx, 'two_factor', { ability, subject_id: id });
}

/** Inserts or replaces the authenticator app of a subject. */
export async function upsertTwoFactor(tx: PlatformTransaction, row: TwoFactorTable): Promise<void> {
  const { ability: _ability, subject_id: _subject, ...values } = row;
  await tx
    .insertInto('two_factor')
    .values(row)
    .onConflict((conflict) => conflict.columns(['ability', 'subject_id']).doUpdateSet(values))
    .execute();
}

/** Marks the time step of a code as used. Returns false if this code or a newer one was used before. */
export async function useStep(tx: PlatformTransaction, { ability, id }: SubjectName, step: number): Promise<boolean> {
  const result = await tx
    .updateTable('two_factor')
    .set({ last_used_step: step })
    .where('ability', '=', ability)
    .where('subject_id', '=', id)
    .where('last_used_step', '<', step)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deletes a recovery code, so that it works once. Returns false if the subject has no such code. */
export async function takeRecoveryCode(
  tx: PlatformTransaction,
  { ability, id }: SubjectName,
  codeHash: string,
): Promise<boolean> {
  const result = await tx
    .deleteFrom('recovery_codes')
    .where('ability', '=', ability)
    .where('subject_id', '=', id)
    .where('code_hash', '=', codeHash)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Returns the number of unused recovery codes of a subject. */
export async function countRecoveryCodes(tx: PlatformTransaction, { ability, id }: SubjectName): Promise<number> {
  const row = await tx
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('ability', '=', ability)
    .where('subject_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Deletes all recovery codes of a subject. */
export async function deleteRecoveryCodes(tx: PlatformTransaction, { ability, id }: SubjectName): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('ability', '=', ability).where('subject_id', '=', id).execute();
}

/** Inserts the hashes of the recovery codes of a subject. */
export async function insertRecoveryCodes(
  tx: PlatformTransaction,
  { ability, id }: SubjectName,
  codeHashes: readonly string[],
): Promise<void> {
  const rows = codeHashes.map((code_hash) => ({ ability, subject_id: id, code_hash }));
  await tx.insertInto('recovery_codes').values(rows).execute();
}

/** Deletes the authenticator app of a subject. Returns false if there was no app. */
export async function deleteTwoFactor(tx: PlatformTransaction, { ability, id }: SubjectName): Promise<boolean> {
  const result = await tx
    .deleteFrom('two_factor')
    .where('ability', '=', ability)
    .where('subject_id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The secrets of authenticator apps. */
export const sealedTwoFactorSecrets: SealedColumn<PlatformTables> = {
  table: 'two_factor',
  column: 'sealed_secret',
  key: ['ability', 'subject_id'],
  what: 'secrets of authenticator apps',
  atRotation: true,
};
