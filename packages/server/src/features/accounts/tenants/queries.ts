import { type Kysely, type NotNull, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction, SqlValue } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import { tenantTerms } from '../../../db/search/index-terms.ts';
import { type Filter, planListFilters, type Rows } from '../../../db/search/list-filter-plan.ts';
import { addSearchTerms, replaceSearchTerms, textFilters } from '../../../db/search/search-terms.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { ruleOf } from '../../../tenancy/archive/platform-tables.ts';
import type { Placement } from '../../../tenancy/placement.ts';

/** A tenant's row with its plan's limits. */
export interface TenantWithPlan extends TenantsTable {
  readonly plan_limits_json: string;
}

/** The filters of a list of tenants. */
export interface ListTenants extends PageRequest {
  readonly status?: TenantsTable['status'] | undefined;
  readonly q?: string | undefined;
  readonly plan_code?: string | undefined;
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

/** Selects tenants with their plans' limits. The plan always exists, because `plan_code` is a foreign key. */
function withPlan(tenants: Rows<PlatformTables, 'tenants'>) {
  return tenants
    .selectAll('tenants')
    .select((eb) =>
      eb
        .selectFrom('plans')
        .select('plans.limits_json')
        .whereRef('plans.code', '=', 'tenants.plan_code')
        .as('plan_limits_json'),
    )
    .$narrowType<{ plan_limits_json: NotNull }>();
}

/** Returns one page of the tenants that match `options` and all `filters`, newest first. */
export async function listTenants(
  platform: PlatformDb,
  options: ListTenants,
  filters: readonly Filter[] = [],
): Promise<TenantWithPlan[]> {
  const { q, status, plan_code, created_from, created_to } = options;
  const search = q === undefined ? [] : textFilters(platform.query, { table: 'tenants', scope: 'tenant', text: q });
  const { query, timeColumn } = await planListFilters(platform.query, 'tenants', [...filters, ...search]);
  const createdAt = sql.ref(timeColumn);
  let rows = query;
  if (status !== undefined) rows = rows.where('tenants.status', '=', status);
  if (plan_code !== undefined) rows = rows.where('tenants.plan_code', '=', plan_code);
  if (created_from !== undefined) rows = rows.where(createdAt, '>=', toStoredTimestamp(created_from));
  if (created_to !== undefined) rows = rows.where(createdAt, '<', toStoredTimestamp(created_to));
  return await paginate(withPlan(rows), options, timeColumn).execute();
}

/** Returns a tenant with its plan's limits. */
export function findTenant(platform: PlatformDb, id: string): Promise<TenantWithPlan | undefined> {
  return withPlan(platform.query.selectFrom('tenants')).where('tenants.id', '=', id).executeTakeFirst();
}

/** Reads a tenant and locks its row until the transaction ends. */
export function lockTenant(tx: PlatformTransaction, id: string): Promise<TenantsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('tenants').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Reads a tenant's name and status without a lock. */
export function findTenantState(
  tx: PlatformTransaction,
  id: string,
): Promise<Pick<TenantsTable, 'name' | 'status'> | undefined> {
  return tx.selectFrom('tenants').select(['name', 'status']).where('id', '=', id).executeTakeFirst();
}

/** Returns the test copy of a tenant, unless it is closed. */
export function findTestTenant(
  db: PlatformDb['query'] | PlatformTransaction,
  liveTenantId: string,
): Promise<Pick<TenantsTable, 'id' | 'name' | 'created_at'> | undefined> {
  const tenants = db
    .selectFrom('tenants')
    .select(['id', 'name', 'created_at'])
    .where('live_tenant_id', '=', liveTenantId);
  return tenants.where('closed_at', 'is', null).executeTakeFirst();
}

/** Inserts a tenant and its search terms. */
export async function createTenantRow(tx: PlatformTransaction, row: TenantsTable): Promise<void> {
  await tx.insertInto('tenants').values(row).execute();
  await addSearchTerms(tx, [[row, tenantTerms(row)]]);
}

/** Updates a tenant and its search terms. */
export async function updateTenantRow(tx: PlatformTransaction, row: TenantsTable): Promise<void> {
  await tx.updateTable('tenants').set(row).where('id', '=', row.id).execute();
  await replaceSearchTerms(tx, row, tenantTerms(row));
}

/** Returns true if a plan has the code. */
export async function planExists(db: PlatformDb['query'] | PlatformTransaction, code: string): Promise<boolean> {
  return (await db.selectFrom('plans').select('id').where('code', '=', code).executeTakeFirst()) !== undefined;
}

/** The columns of a tenant's row that describe its move. */
export type MoveState = Pick<TenantsTable, 'move_id' | 'move_expires_at' | 'writes_paused_until'>;

/** The state of a tenant that is not being moved. */
export const noMove: MoveState = { move_id: null, move_expires_at: null, writes_paused_until: null };

/** Updates a tenant's move if its id is still `expected`. Returns false and changes nothing otherwise. */
export async function changeMove(
  db: Pick<PlatformDb['query'], 'updateTable'>,
  tenantId: string,
  expected: string | null,
  move: MoveState,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tenants')
    .set(move)
    .where('id', '=', tenantId)
    .where('move_id', expected === null ? 'is' : '=', expected)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the ids of the tenants with an expired move: its command crashed before it ended the move. */
export async function listAbandonedMoves({ query }: PlatformDb, now: Timestamp): Promise<string[]> {
  const rows = await query
    .selectFrom('tenants')
    .select('id')
    .where('move_id', 'is not', null)
    .where((eb) => eb.or([eb('move_expires_at', 'is', null), eb('move_expires_at', '<=', now)]))
    .where((eb) => eb.or([eb('writes_paused_until', 'is', null), eb('writes_paused_until', '<=', now)]))
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the ids of the tenants with a database at a place, in order. */
export async function listTenantsAt({ query }: PlatformDb, place: string): Promise<string[]> {
  const rows = await query.selectFrom('tenants').select('id').where('placement', '=', place).orderBy('id').execute();
  return rows.map(({ id }) => id);
}

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
 * Inserts the rows of an exported table that do not exist yet. The archive copies rows of several features without
 * calling them, because a copy must not repeat their audit records and events.
 */
export async function addArchivedRows(
  tx: PlatformTransaction,
  table: keyof PlatformTables,
  rows: readonly ArchivedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const key = table === 'notification_digests' || table === 'portal_handles' ? 'tenant_id' : 'id';
  const known = await knownKeys(
    tx,
    table,
    key,
    rows.map((row) => String(row[key])),
  );
  const missing = rows.filter((row) => !known.has(String(row[key])));
  await insertRows(tx as unknown as Kysely<Record<string, ArchivedRow>>, table, missing);
}

/** Returns true if a tenant has this handle of a portal. */
export async function isHandleTaken(tx: PlatformTransaction, handle: string): Promise<boolean> {
  const query = tx.selectFrom('portal_handles').select('tenant_id').where('handle', '=', handle);
  return (await query.executeTakeFirst()) !== undefined;
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
  for (const batch of batchesOf(values, keysPerRead)) {
    const keys = sql.join(batch);
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

/** The passwords of the tenants' PostgreSQL roles. */
export const sealedDatabaseSecrets: SealedColumn<PlatformTables> = {
  table: 'tenants',
  column: 'database_secret',
  key: ['id'],
  what: "passwords of tenants' database roles",
  atRotation: true,
};
