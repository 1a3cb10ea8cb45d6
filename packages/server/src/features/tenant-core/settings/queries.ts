import type { PreparedRead, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SettingsTable } from '../../../db/tables/tenant/settings.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';

/** Reads the single settings row, which the migration created. */
export const findSettings: PreparedRead<TenantTables, SettingsTable> = {
  name: 'find_settings',
  build: (db) => db.selectFrom('settings').selectAll(),
};

/** Reads only the timezone, which determines usage periods, for the hot path. */
export const findTimezone: PreparedRead<TenantTables, Pick<SettingsTable, 'timezone'>> = {
  name: 'find_timezone',
  build: (db) => db.selectFrom('settings').select('timezone'),
};

/** Reads the row and locks it until the transaction ends. */
export function lockSettings(tx: TenantTransaction): Promise<SettingsTable> {
  return forUpdate(tx, tx.selectFrom('settings').selectAll()).executeTakeFirstOrThrow();
}

/** Overwrites the settings row. */
export async function updateSettingsRow(tx: TenantTransaction, row: SettingsTable): Promise<void> {
  await tx.updateTable('settings').set(row).where('id', '=', row.id).execute();
}
