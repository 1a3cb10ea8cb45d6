import type { NotNull } from 'kysely';
import { filterRows, type Rows } from '../../db/candidates.ts';
import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import { addSearchTerms, replaceSearchTerms, textFilters } from '../../db/search-terms.ts';
import type { PlatformTables, TenantsTable } from '../../db/tables.ts';
import { tenantTerms } from '../../db/terms.ts';
import { type PageRequest, paginate } from '../../http/cursor.ts';

/** A tenant's row with its plan's limits. */
export interface TenantWithPlan extends TenantsTable {
  readonly plan_limits_json: string;
}

interface ListTenants extends PageRequest {
  readonly status?: TenantsTable['status'] | undefined;
  readonly q?: string | undefined;
}

/** A tenant names its plan by a foreign key, so that the subquery always finds it. */
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

export async function listTenants(platform: PlatformDb, options: ListTenants): Promise<TenantWithPlan[]> {
  const { q, status } = options;
  const search = q === undefined ? [] : textFilters(platform.query, { table: 'tenants', scope: 'tenant', text: q });
  const { query, timeColumn } = await filterRows(platform.query, 'tenants', search);
  const narrowed = status === undefined ? query : query.where('tenants.status', '=', status);
  return await paginate(withPlan(narrowed), options, timeColumn).execute();
}

export function findTenant(platform: PlatformDb, id: string): Promise<TenantWithPlan | undefined> {
  return withPlan(platform.query.selectFrom('tenants')).where('tenants.id', '=', id).executeTakeFirst();
}

/** Reads a tenant's row and keeps others from changing it until the transaction ends. */
export function lockTenant(tx: PlatformTransaction, id: string): Promise<TenantsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('tenants').selectAll().where('id', '=', id)).executeTakeFirst();
}

export async function createTenantRow(tx: PlatformTransaction, row: TenantsTable): Promise<void> {
  await tx.insertInto('tenants').values(row).execute();
  await addSearchTerms(tx, [[row, tenantTerms(row)]]);
}

export async function updateTenantRow(tx: PlatformTransaction, row: TenantsTable): Promise<void> {
  await tx.updateTable('tenants').set(row).where('id', '=', row.id).execute();
  await replaceSearchTerms(tx, row, tenantTerms(row));
}

export async function planExists(db: PlatformDb['query'] | PlatformTransaction, code: string): Promise<boolean> {
  return (await db.selectFrom('plans').select('id').where('code', '=', code).executeTakeFirst()) !== undefined;
}
