import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { FieldChange } from '../../tenant-core/audit/audit.ts';
import { eraseFromRecords } from '../../tenant-core/audit/erasure.ts';
import { type ChangePlace, eraseFromOperations, listEveryChange, replaceChanges } from './queries.ts';

export type { ChangePlace } from './queries.ts';

/** Records per read; a transaction writes only those that change. */
const changesPerPage = 500;

/** Removes the address of a holder from the filters and reasons of operations and from their audit records. */
export async function eraseHolderFromOperations(tx: TenantTransaction, email: string): Promise<void> {
  await eraseFromRecords(tx, { resourceIds: await eraseFromOperations(tx, email), fields: ['reason'] });
}

/**
 * Removes the reasons of status changes from what operations did to these licenses. An undo leaves them erased. It reads the
 * records of all operations in pages, because no index contains the licenses. Safe to repeat. Returns the last record that
 * it read, after which a later call can continue.
 */
export async function eraseReasonsFromChanges(
  db: TenantDb,
  licenseIds: ReadonlySet<string>,
  from: ChangePlace | null,
): Promise<ChangePlace | null> {
  for (let after = from; ; ) {
    const page = await listEveryChange(db.query, after, changesPerPage);
    const rows = page
      .filter(({ license_id }) => licenseIds.has(license_id))
      .flatMap((row) => {
        const changes: FieldChange[] = JSON.parse(row.changes_json);
        const kept = changes.filter(({ field }) => field !== 'status_reason');
        return kept.length === changes.length ? [] : [{ ...row, changes_json: JSON.stringify(kept) }];
      });
    if (rows.length > 0) await db.transaction((tx) => replaceChanges(tx, rows));
    after = page.at(-1) ?? after;
    if (page.length < changesPerPage) return after;
  }
}
