import { type NotNull, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { tenantTerms } from '../../../db/search/index-terms.ts';
import { type Filter, planListFilters, type Rows } from '../../../db/search/list-filter-plan.ts';
import { addSearchTerms, replaceSearchTerms, textFilters } from '../../../db/search/search-terms.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';

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
