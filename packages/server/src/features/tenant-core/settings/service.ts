import type { PreparedRead, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { firstIn } from '../../../db/prepared-queries.ts';
import type { SettingsTable } from '../../../db/tables/tenant/administration.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { orThrow } from '../../../lib/error.ts';
import type { ClockServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudit } from '../audit/audit.ts';
import type { Settings, UpdateSettings } from './schemas.ts';
import { applySettingsInput, fromRow, type StoredSettings, settingsFields, toRow } from './settings.ts';

/** Reads a tenant's settings, without its name, which the resolved tenant contains. */
export async function readSettings(db: TenantDb): Promise<StoredSettings> {
  const row = orThrow(await db.first(findSettings, []), noSettings);
  return fromRow(row);
}

/** Reads the timezone in which a tenant's days and usage periods begin. */
export async function readTimezone(db: TenantDb): Promise<string> {
  const row = orThrow(await db.first(findTimezone, []), noSettings);
  return row.timezone;
}

/** Reads the same in the caller's transaction. */
export async function timezoneIn(tx: TenantTransaction): Promise<string> {
  const row = orThrow(await firstIn(tx, findTimezone, []), noSettings);
  return row.timezone;
}

function noSettings(): Error {
  return new Error(
    "The tenant's database has no settings row, although its migration creates one. Restore the row from a backup.",
  );
}

/**
 * Renames a tenant in the platform database, with its audit record; throws 404 `TENANT.NOT_FOUND`. The feature that
 * owns tenants implements it.
 */
export type RenameTenant = (actor: Actor, tenantId: string, name: string) => Promise<void>;

/**
 * Changes the fields that `input` contains and returns the new settings. The name is stored in the platform database,
 * which shares no transaction with the tenant's database: it is committed first, with its own audit record. A crash
 * between the two leaves the new name with its record and the other settings unchanged; repeating the request completes
 * it.
 */
export async function updateSettings(
  { clock, renameTenant }: ClockServices & { readonly renameTenant: RenameTenant },
  tenant: Tenant,
  actor: Actor,
  input: UpdateSettings,
): Promise<Settings> {
  if (input.name !== undefined) await renameTenant(actor, tenant.id, input.name);
  const stored = await tenant.db.transaction(async (tx) => {
    const before = fromRow(await lockSettings(tx));
    const after = applySettingsInput(before, input);
    const changes = changedFields(before, after, settingsFields);
    if (changes.length === 0) return after;
    await updateSettingsRow(tx, toRow(after));
    const at = clock.now();
    const entry = { event: 'SETTINGS.UPDATED', resourceType: 'settings', resourceId: tenant.id, changes, at };
    await recordAudit(tx, actor, entry);
    return after;
  });
  return { name: input.name ?? tenant.name, ...stored };
}

/** Reads the single settings row, which the migration created. */
const findSettings: PreparedRead<TenantTables, SettingsTable> = {
  name: 'find_settings',
  build: (db) => db.selectFrom('settings').selectAll(),
};

/** Reads only the timezone, which determines usage periods, for the hot path. */
const findTimezone: PreparedRead<TenantTables, Pick<SettingsTable, 'timezone'>> = {
  name: 'find_timezone',
  build: (db) => db.selectFrom('settings').select('timezone'),
};

/** Copies the settings into the database of a new tenant. */
export async function copySettings(from: TenantDb, tx: TenantTransaction): Promise<void> {
  await updateSettingsRow(tx, toRow(await readSettings(from)));
}

/** Reads the row and locks it until the transaction ends. */
export function lockSettings(tx: TenantTransaction): Promise<SettingsTable> {
  return forUpdate(tx, tx.selectFrom('settings').selectAll()).executeTakeFirstOrThrow();
}

/** Overwrites the settings row. */
export async function updateSettingsRow(tx: TenantTransaction, row: SettingsTable): Promise<void> {
  await tx.updateTable('settings').set(row).where('id', '=', row.id).execute();
}
