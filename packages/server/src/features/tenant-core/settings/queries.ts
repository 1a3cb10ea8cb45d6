import type { PreparedRead, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SettingsTable } from '../../../db/tables/tenant/settings.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';

/** The one row, which the migration made. */
export const findSettings: PreparedRead<TenantTables, SettingsTable> = {
  name: 'find_settings',
  build: (db) => db.selectFrom('settings').selectAll(),
};

/** For the hot path: of the one row only what names periods of usage. */
export const findTimezone: PreparedRead<TenantTables, Pick<SettingsTable, 'timezone'>> = {
  name: 'find_timezone',
  build: (db) => db.selectFrom('settings').select('timezone'),
};

/** Reads the row and keeps others from changing it until the transaction ends. */
export function lockSettings(tx: TenantTransaction): Promise<SettingsTable> {
  return forUpdate(tx, tx.selectFrom('settings').selectAll()).executeTakeFirstOrThrow();
}

export async function updateSettingsRow(tx: TenantTransaction, row: SettingsTable): Promise<void> {
  await tx.updateTable('settings').set(row).where('id', '=', row.id).execute();
}
