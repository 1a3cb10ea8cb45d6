import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type { AccountDeletionsTable, AccountExportsTable } from '../../../db/tables/platform/identity.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';

/** Returns the scheduled deletion of a user. */
export function findDeletion(platform: PlatformDb, userId: string): Promise<AccountDeletionsTable | undefined> {
  return platform.query.selectFrom('account_deletions').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** Reads the scheduled deletion of a user and locks the row until the transaction ends. */
export function lockDeletion(tx: PlatformTransaction, userId: string): Promise<AccountDeletionsTable | undefined> {
  const query = tx.selectFrom('account_deletions').selectAll().where('user_id', '=', userId);
  return forUpdate(tx, query).executeTakeFirst();
}

/** Returns the exports of a user, oldest first. */
export function listExportsOf(
  db: PlatformTransaction | PlatformDb['query'],
  userId: string,
): Promise<AccountExportsTable[]> {
  return db.selectFrom('account_exports').selectAll().where('user_id', '=', userId).orderBy('created_at').execute();
}

/**
 * Updates an export if it still has the position that a run read. Returns false if another run has advanced it, or if
 * it is finished or deleted.
 */
export async function advanceExport(
  tx: PlatformTransaction,
  before: AccountExportsTable,
  changes: Partial<AccountExportsTable>,
): Promise<boolean> {
  const result = await tx
    .updateTable('account_exports')
    .set(changes)
    .where('id', '=', before.id)
    .where('position_json', '=', before.position_json)
    .where('part_count', '=', before.part_count)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Returns the id of the tenant that follows `id` in the order of ids (null: the first); undefined after the last. */
export async function findTenantAfter(platform: PlatformDb, id: string | null): Promise<string | undefined> {
  const query = platform.query
    .selectFrom('tenants')
    .select('id')
    .where('id', '>', id ?? '');
  return (await query.orderBy('id').limit(1).executeTakeFirst())?.id;
}

/** Returns the number of tenants in any status. */
export async function countTenants(tx: PlatformTransaction): Promise<number> {
  const counted = tx.selectFrom('tenants').select((eb) => eb.fn.countAll<number>().as('count'));
  return Number((await counted.executeTakeFirstOrThrow()).count);
}

/** The parts of exports of personal data. */
export const sealedExportParts: SealedColumn<PlatformTables> = {
  table: 'account_export_parts',
  column: 'sealed_rows',
  key: ['export_id', 'position'],
  what: 'parts of exports of personal data',
};
