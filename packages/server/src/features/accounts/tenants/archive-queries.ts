import { type Kysely, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction, SqlValue } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { ruleOf } from '../../../tenancy/archive/platform-tables.ts';
import type { Placement } from '../../../tenancy/placement.ts';

/** A row of an archive, by the names of its columns. */
export type ArchivedRow = Readonly<Record<string, SqlValue>>;

/** A tenant's state and where its database is. */
export type PlacedTenant = Placement &
  Pick<TenantsTable, 'name' | 'status' | 'closed_at' | 'move_id' | 'writes_paused_until'>;

export function findPlacedTenant(platform: PlatformDb, id: string): Promise<PlacedTenant | undefined> {
  return platform.query
    .selectFrom('tenants')
    .select(['id', 'name', 'status', 'closed_at', 'placement', 'database_name', 'database_secret'])
    .select(['move_id', 'writes_paused_until'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Inserts the rows of an exported table that are not there by their primary key. */
export async function addArchivedRows(
  tx: PlatformTransaction,
  table: keyof PlatformTables,
  rows: readonly ArchivedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const key = table === 'notification_digests' ? 'tenant_id' : 'id';
  const known = await knownKeys(
    tx,
    table,
    key,
    rows.map((row) => String(row[key])),
  );
  const missing = rows.filter((row) => !known.has(String(row[key])));
  await insertRows(tx as unknown as Kysely<Record<string, ArchivedRow>>, table, missing);
}

/** Few enough for one statement of either engine. */
const keysPerRead = 500;

async function knownKeys(
  tx: PlatformTransaction,
  table: string,
  key: string,
  values: readonly string[],
): Promise<Set<string>> {
  const known = new Set<string>();
  for (let start = 0; start < values.length; start += keysPerRead) {
    const asked = sql.join(values.slice(start, start + keysPerRead));
    const { rows } = await sql<{ key: string }>`
      select ${sql.ref(key)} as key from ${sql.table(table)} where ${sql.ref(key)} in (${asked})`.execute(tx);
    for (const row of rows) known.add(row.key);
  }
  return known;
}

/** Points a tenant at another database; a move that was under way is over. */
export async function setPlacement(
  tx: PlatformTransaction,
  { id, ...placement }: Placement,
  at: string,
): Promise<void> {
  await tx
    .updateTable('tenants')
    .set({ ...placement, move_id: null, writes_paused_until: null, updated_at: at })
    .where('id', '=', id)
    .execute();
}

/** Deletes everything of a tenant from the platform. `tables` are in the order of their foreign keys. */
export async function deleteTenantRows(
  tx: PlatformTransaction,
  tenantId: string,
  tables: readonly string[],
): Promise<void> {
  for (const table of tables.toReversed()) {
    const { tenantColumn = null, through } = ruleOf(table) ?? {};
    if (tenantColumn === null) continue;
    const column = sql.ref(tenantColumn);
    const owned =
      through === undefined
        ? sql`${column} = ${tenantId}`
        : sql`${column} in (select id from ${sql.table(through)} where tenant_id = ${tenantId})`;
    await sql`delete from ${sql.table(table)} where ${owned}`.execute(tx);
  }
}
