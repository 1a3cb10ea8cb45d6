import { type Kysely, sql } from 'kysely';
import type { PlatformTransaction, TenantTransaction } from '../../../db/database.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';

// Deletes rows of several features without calling them, as the archive writes them: the removal of history is not an
// event of the features, and must not leave further history.

/** Below the parameter limits of both engines. */
const idsPerStatement = 500;

function* slices(ids: Iterable<string>): Iterable<readonly string[]> {
  const all = [...ids];
  for (let start = 0; start < all.length; start += idsPerStatement) yield all.slice(start, start + idsPerStatement);
}

async function deleteRows<Tables>(
  tx: Kysely<Tables>,
  table: string,
  column: string,
  ids: Iterable<string>,
): Promise<void> {
  for (const slice of slices(ids)) {
    await sql`delete from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(slice)})`.execute(tx);
  }
}

/** Deletes the rows of a tenant's table whose column has one of the ids. */
export async function deleteTenantRowsById(
  tx: TenantTransaction,
  table: keyof TenantTables,
  column: string,
  ids: Iterable<string>,
): Promise<void> {
  await deleteRows(tx, table, column, ids);
}

/** Deletes the rows of a platform table whose column has one of the ids. */
export async function deletePlatformRowsById(
  tx: PlatformTransaction,
  table: keyof PlatformTables,
  column: string,
  ids: Iterable<string>,
): Promise<void> {
  await deleteRows(tx, table, column, ids);
}

/** Returns the ids of the activations of licenses. */
export async function listActivationsOf(tx: TenantTransaction, licenseIds: ReadonlySet<string>): Promise<string[]> {
  const ids: string[] = [];
  for (const slice of slices(licenseIds)) {
    const rows = await tx.selectFrom('activations').select('id').where('license_id', 'in', slice).execute();
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}

/** Returns every license and policy of a tenant, deleted licenses too, with what each refers to. */
export async function readReferences(tx: TenantTransaction) {
  const licenses = await tx.selectFrom('licenses').select(['id', 'product_id', 'policy_id']).execute();
  const policies = await tx.selectFrom('policies').select(['id', 'product_id']).execute();
  const entitlements = await tx.selectFrom('entitlement_references').selectAll().execute();
  return { licenses, policies, entitlements };
}

/** Returns the ids of a tenant's rows in a table that has ids. */
export async function listIds(tx: TenantTransaction, table: keyof TenantTables): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Returns the ids of users among these who belong to no tenant. */
export async function listUsersWithoutTenant(tx: PlatformTransaction, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memberships').select('id').whereRef('user_id', '=', 'users.id'))),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the ids at the sandbox of a tenant's subscriptions, or of these ones. */
export async function listSandboxSubscriptions(
  tx: PlatformTransaction,
  { tenantId, ids }: { readonly tenantId: string; readonly ids?: readonly string[] },
): Promise<string[]> {
  let subscriptions = tx
    .selectFrom('subscriptions')
    .select('provider_subscription_id')
    .where('tenant_id', '=', tenantId)
    .where('provider', '=', 'sandbox');
  if (ids !== undefined) subscriptions = subscriptions.where('id', 'in', ids);
  return (await subscriptions.execute()).map(({ provider_subscription_id: id }) => id);
}

/** Returns the codes of coupons. */
export async function listCouponCodes(tx: PlatformTransaction, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.selectFrom('coupons').select('code').where('id', 'in', ids).execute();
  return rows.map(({ code }) => code);
}

/** Returns the ids of a tenant's subscriptions. */
export async function listSubscriptionIds(tx: PlatformTransaction, tenantId: string): Promise<string[]> {
  const rows = await tx.selectFrom('subscriptions').select('id').where('tenant_id', '=', tenantId).execute();
  return rows.map(({ id }) => id);
}

/** Returns true if a tenant has an invoice. */
export async function hasInvoices(tx: PlatformTransaction, tenantId: string): Promise<boolean> {
  const invoice = tx.selectFrom('invoices').select('id').where('tenant_id', '=', tenantId).limit(1);
  return (await invoice.executeTakeFirst()) !== undefined;
}
