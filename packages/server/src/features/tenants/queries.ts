import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import { containsText, forUpdate } from '../../db/dialect.ts';
import type { TenantsTable } from '../../db/tables.ts';
import { type PageRequest, paginate } from '../../http/cursor.ts';

/** A tenant's row with its plan's limits. */
export interface TenantWithPlan extends TenantsTable {
  readonly plan_limits_json: string;
}

interface ListTenants extends PageRequest {
  readonly status?: TenantsTable['status'] | undefined;
  readonly q?: string | undefined;
}

function tenantsWithPlan(db: PlatformDb['query'] | PlatformTransaction) {
  return db
    .selectFrom('tenants')
    .innerJoin('plans', 'plans.code', 'tenants.plan_code')
    .selectAll('tenants')
    .select('plans.limits_json as plan_limits_json');
}

export function listTenants(platform: PlatformDb, options: ListTenants): Promise<TenantWithPlan[]> {
  let query = tenantsWithPlan(platform.query);
  if (options.status !== undefined) query = query.where('tenants.status', '=', options.status);
  const { q } = options;
  if (q !== undefined) {
    query = query.where((eb) => eb.or([eb('tenants.id', '=', q), containsText(eb.ref('tenants.name'), q)]));
  }
  return paginate(query, options, 'tenants.created_at').execute();
}

export function findTenant(platform: PlatformDb, id: string): Promise<TenantWithPlan | undefined> {
  return tenantsWithPlan(platform.query).where('tenants.id', '=', id).executeTakeFirst();
}

/** Reads a tenant's row and keeps others from changing it until the transaction ends. */
export function lockTenant(tx: PlatformTransaction, id: string): Promise<TenantsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('tenants').selectAll().where('id', '=', id)).executeTakeFirst();
}

export async function createTenantRow(tx: PlatformTransaction, row: TenantsTable): Promise<void> {
  await tx.insertInto('tenants').values(row).execute();
}

export async function updateTenantRow(tx: PlatformTransaction, row: TenantsTable): Promise<void> {
  await tx.updateTable('tenants').set(row).where('id', '=', row.id).execute();
}

export async function planExists(db: PlatformDb['query'] | PlatformTransaction, code: string): Promise<boolean> {
  return (await db.selectFrom('plans').select('id').where('code', '=', code).executeTakeFirst()) !== undefined;
}
