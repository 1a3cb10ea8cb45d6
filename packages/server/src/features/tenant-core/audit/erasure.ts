import type { TenantTransaction } from '../../../db/database.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { FieldChange } from './audit.ts';

/** Replaces erased values in audit records. */
export const erased = '[erased]';

const idsPerStatement = 500;

interface ErasedRecords {
  /** The resources whose records are searched. */
  readonly resourceIds: readonly string[];
  /** The fields whose old and new values are replaced. */
  readonly fields: readonly string[];
}

/**
 * Removes personal data of a holder from the audit records about these resources: the values of the fields, and the
 * client address of actions by an application, which ran on the holder's device. The records stay.
 */
export async function eraseFromRecords(tx: TenantTransaction, { resourceIds, fields }: ErasedRecords): Promise<void> {
  for (const ids of batchesOf(resourceIds, idsPerStatement)) {
    const rows = await tx
      .selectFrom('audit_logs')
      .select(['id', 'actor_type', 'ip', 'changes_json'])
      .where('resource_id', 'in', ids)
      .execute();
    for (const { id, actor_type, ip, changes_json } of rows) {
      const cleaned = { ip: actor_type === 'api_key' ? null : ip, changes_json: withoutValues(changes_json, fields) };
      if (cleaned.ip === ip && cleaned.changes_json === changes_json) continue;
      await tx.updateTable('audit_logs').set(cleaned).where('id', '=', id).execute();
    }
  }
}

function withoutValues(json: string, fields: readonly string[]): string {
  const changes: FieldChange[] = JSON.parse(json);
  const clean = (value: unknown) => (value === null ? null : erased);
  return JSON.stringify(
    changes.map((change) =>
      fields.includes(change.field) ? { field: change.field, old: clean(change.old), new: clean(change.new) } : change,
    ),
  );
}
