import { type Kysely, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction, SqlValue } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { ruleOf } from '../../../tenancy/archive/platform-tables.ts';
import type { Placement } from '../../../tenancy/placement.ts';

/** A row of an archive: column names to values. */
export type ArchivedRow = Readonly<Record<string, SqlValue>>;

/** A tenant's status, the placement of its database, and its current move. */
export type PlacedTenant = Placement &
  Pick<TenantsTable, 'name' | 'status' | 'closed_at' | 'move_id' | 'move_expires_at' | 'writes_paused_until'>;

/** Returns a tenant with the placement of its database. */
export function findPlacedTenant(platform: PlatformDb, id: string): Promise<PlacedTenant | undefined> {
  return platform.query
    .selectFrom('tenants')
    .select(['id', 'name', 'status', 'closed_at', 'placement', 'database_name', 'database_secret'])
    .select(['move_id', 'move_expires_at', 'writes_paused_until'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Inserts those rows of an exported table whose primary key does not exist yet. The archive copies rows of several
 * features without calling them, because a copy must not repeat their audit records and events.
 */
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

/** The number of keys per query, below the parameter limits of both engines. */
const keysPerRead = 500;

async function knownKeys(
  tx: PlatformTransaction,
  table: string,
  key: string,
  values: readonly string[],
): Promise<Set<string>> {
  const known = new Set<string>();
  for (let start = 0; start < values.length; start += keysPerRead) {
    const keys = sql.join(values.slice(start, start + keysPerRead));
    const { rows } = await sql<{ key: string }>`
      select ${sql.ref(key)} as key from ${sql.table(table)} where ${sql.ref(key)} in (${keys})`.execute(tx);
    for (const row of rows) known.add(row.key);
  }
  return known;
}

/** Sets the placement of a tenant's database and clears its current move. */
export async function setPlacement(
  tx: PlatformTransaction,
  { id, ...placement }: Placement,
  at: string,
): Promise<void> {
  await tx
    .updateTable('tenants')
    .set({ ...placement, move_id: null, move_expires_at: null, writes_paused_until: null, updated_at: at })
    .where('id', '=', id)
    .execute();
}

/**
 * Deletes all rows of a tenant from the platform database. `tables` are in the order of their foreign keys, referenced
 * tables first; the rows are deleted in the reverse order.
 */
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

/** Returns the ids of a tenant's subscriptions at the sandbox. */
export async function listSandboxSubscriptions(tx: PlatformTransaction, tenantId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('subscriptions')
    .select('provider_subscription_id')
    .where('tenant_id', '=', tenantId)
    .where('provider', '=', 'sandbox')
    .execute();
  return rows.map(({ provider_subscription_id: id }) => id);
}
