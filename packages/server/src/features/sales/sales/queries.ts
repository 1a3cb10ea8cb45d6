import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { updateRows } from '../../../db/rows.ts';
import { saleTerms } from '../../../db/search/index-terms.ts';
import { planListFilters } from '../../../db/search/list-filter-plan.ts';
import { replaceSearchTerms, textFilters } from '../../../db/search/search-terms.ts';
import type { SaleLicensesTable, SalesTable } from '../../../db/tables/tenant/sales.ts';
import { paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { SoldOffer } from './rule.ts';
import type { SalesQuery } from './schemas.ts';

type Query = TenantDb['query'];

/** An offer with the product of its policy; null for a policy that was deleted. */
export type OfferOfSale = Omit<SoldOffer, 'product_id'> & {
  readonly id: string;
  readonly external_id: string;
  readonly product_id: string | null;
};

/** Returns the offers of a connection for these items. */
export async function findOffers(
  query: Query,
  connectionId: string,
  externalIds: readonly string[],
): Promise<OfferOfSale[]> {
  if (externalIds.length === 0) return [];
  return await query
    .selectFrom('offers')
    .leftJoin('policies', 'policies.id', 'offers.policy_id')
    .select(['offers.id', 'offers.external_id', 'offers.policy_id', 'offers.quantity', 'offers.seats_per_unit'])
    .select(['offers.on_refund', 'offers.suspend_after_days', 'policies.product_id'])
    .where('offers.connection_id', '=', connectionId)
    .where('offers.external_id', 'in', externalIds)
    .execute();
}

/** Returns a page of the sales of a connection that are known completely enough to be listed, newest first. */
export async function listSales(
  db: TenantDb,
  connectionId: string,
  { q, state, problem, ...page }: SalesQuery,
): Promise<SalesTable[]> {
  const search = q === undefined ? [] : textFilters(db.query, { table: 'sales', scope: 'sale', text: q });
  const { query, timeColumn } = await planListFilters(db.query, 'sales', search);
  let rows = query.where('sales.connection_id', '=', connectionId).where('sales.kind', 'is not', null);
  if (state !== undefined) rows = rows.where('sales.shown_state', '=', state);
  if (problem === 'any') rows = rows.where('sales.problem', 'is not', null);
  else if (problem !== undefined) rows = rows.where('sales.problem', '=', problem);
  return await paginate(rows.selectAll('sales'), page, timeColumn).execute();
}

/** Returns a sale of a connection that lists contain, or undefined. */
export function findSale(query: Query, connectionId: string, id: string): Promise<SalesTable | undefined> {
  return query
    .selectFrom('sales')
    .selectAll()
    .where('id', '=', id)
    .where('connection_id', '=', connectionId)
    .where('kind', 'is not', null)
    .executeTakeFirst();
}

/** Returns the sale that has issued a license, or undefined. */
export function findSaleOfLicense(query: Query, licenseId: string): Promise<SalesTable | undefined> {
  return query
    .selectFrom('sale_licenses')
    .innerJoin('sales', 'sales.id', 'sale_licenses.sale_id')
    .selectAll('sales')
    .where('sale_licenses.license_id', '=', licenseId)
    .executeTakeFirst();
}

/** Returns the sales with these ids of the shop. */
export async function listSalesByExternalIds(
  query: Query,
  connectionId: string,
  externalIds: readonly string[],
): Promise<SalesTable[]> {
  if (externalIds.length === 0) return [];
  return await query
    .selectFrom('sales')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('external_id', 'in', externalIds)
    .execute();
}

/** Inserts a sale unless the connection has one with its external id, and locks the one that is there. */
export async function lockOrInsert(tx: TenantTransaction, row: SalesTable): Promise<SalesTable> {
  await tx
    .insertInto('sales')
    .values(row)
    .onConflict((conflict) => conflict.columns(['connection_id', 'external_id']).doNothing())
    .execute();
  const present = tx
    .selectFrom('sales')
    .selectAll()
    .where('connection_id', '=', row.connection_id)
    .where('external_id', '=', row.external_id);
  return await forUpdate(tx, present).executeTakeFirstOrThrow();
}

/** Updates a sale and its search terms. The caller must have locked it. `buyer`: the texts by which it is found. */
export async function updateSaleRow(
  tx: TenantTransaction,
  row: SalesTable,
  buyer: readonly (string | null)[] | undefined,
): Promise<void> {
  await tx.updateTable('sales').set(row).where('id', '=', row.id).execute();
  if (row.kind !== null && buyer !== undefined) await replaceSearchTerms(tx, row, saleTerms(row.external_id, buyer));
}

/** Removes a sale that was known under another id. It has no licenses. */
export async function deleteSaleRow(tx: TenantTransaction, row: SalesTable): Promise<void> {
  await tx.deleteFrom('sales').where('id', '=', row.id).execute();
  await replaceSearchTerms(tx, row, []);
}

/** Returns the shop's id of the sale that an alias names, or undefined. */
export async function findAlias(query: Query, connectionId: string, alias: string): Promise<string | undefined> {
  const row = await query
    .selectFrom('sale_aliases')
    .select('sale_external_id')
    .where('connection_id', '=', connectionId)
    .where('alias', '=', alias)
    .executeTakeFirst();
  return row?.sale_external_id;
}

/** An alias may name the alias of a sale: a payment, its invoice, its subscription. */
const aliasStepsMax = 5;

/** Returns the ids by which sales are known, by the ids that name them. Ids that are not aliases are omitted. */
export async function namesOf(
  query: Query,
  connectionId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let wanted = ids;
  for (let step = 0; step < aliasStepsMax && wanted.length > 0; step += 1) {
    const rows = await query
      .selectFrom('sale_aliases')
      .select(['alias', 'sale_external_id'])
      .where('connection_id', '=', connectionId)
      .where('alias', 'in', wanted)
      .execute();
    const found = new Map(rows.map(({ alias, sale_external_id }) => [alias, sale_external_id]));
    for (const id of ids) {
      const next = found.get(names.get(id) ?? id);
      if (next !== undefined) names.set(id, next);
    }
    wanted = [...found.values()];
  }
  return names;
}

/** Stores another id of a sale. The first report of an alias counts. */
export async function insertAlias(
  tx: TenantTransaction,
  row: { readonly connection_id: string; readonly alias: string; readonly sale_external_id: string },
): Promise<void> {
  await tx
    .insertInto('sale_aliases')
    .values(row)
    .onConflict((conflict) => conflict.columns(['connection_id', 'alias']).doNothing())
    .execute();
}

/** Returns the licenses of some sales, in the order in which they were issued. */
export async function listLicensesOf(query: Query, saleIds: readonly string[]): Promise<SaleLicensesTable[]> {
  if (saleIds.length === 0) return [];
  return await query
    .selectFrom('sale_licenses')
    .selectAll()
    .where('sale_id', 'in', saleIds)
    .orderBy('created_at')
    .orderBy('license_id')
    .execute();
}

/** Stores what a sale applied to a license. */
export async function writeSaleLicense(tx: TenantTransaction, row: SaleLicensesTable): Promise<void> {
  await tx
    .insertInto('sale_licenses')
    .values(row)
    .onConflict((conflict) => conflict.column('license_id').doUpdateSet({ applied_json: row.applied_json }))
    .execute();
}

/** Moves the licenses of a sale to another one. */
export async function moveLicenses(tx: TenantTransaction, fromSaleId: string, toSaleId: string): Promise<void> {
  await tx.updateTable('sale_licenses').set({ sale_id: toSaleId }).where('sale_id', '=', fromSaleId).execute();
}

/** Makes the sales with this problem due now. */
export async function makeProblemsDue(
  tx: TenantTransaction,
  connectionId: string,
  problem: string,
  at: Timestamp,
): Promise<void> {
  await updateRows(tx, 'sales', { connection_id: connectionId, problem }, { next_change_at: at });
}

/** Returns sales of active connections that are due, the longest due first. */
export function listDueSales(
  query: Query,
  now: Timestamp,
  limit: number,
): Promise<Pick<SalesTable, 'id' | 'connection_id'>[]> {
  return query
    .selectFrom('sales')
    .innerJoin('connections', 'connections.id', 'sales.connection_id')
    .select(['sales.id', 'sales.connection_id'])
    .where('sales.next_change_at', '<=', now)
    .where('connections.status', '=', 'active')
    .orderBy('sales.next_change_at')
    .orderBy('sales.id')
    .limit(limit)
    .execute();
}

/** Returns when the next sale of an active connection is due; null if none ever is. */
export async function nextSaleDue(query: Query): Promise<Timestamp | null> {
  const row = await query
    .selectFrom('sales')
    .innerJoin('connections', 'connections.id', 'sales.connection_id')
    .select('sales.next_change_at')
    .where('sales.next_change_at', 'is not', null)
    .where('connections.status', '=', 'active')
    .orderBy('sales.next_change_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_change_at ?? null;
}

/** Returns the sales whose buyer has this folded address. */
export function listSalesOfBuyer(query: Query, emailKey: string): Promise<SalesTable[]> {
  return query.selectFrom('sales').selectAll().where('buyer_email_key', '=', emailKey).execute();
}

/** Replaces what is known of a sale and what was applied to its licenses, without the buyer. */
export async function eraseBuyerRow(
  tx: TenantTransaction,
  row: SalesTable,
  { stateJson, applied }: { readonly stateJson: string; readonly applied: readonly SaleLicensesTable[] },
): Promise<void> {
  const changes = { state_json: stateJson, buyer_email_key: null };
  await tx.updateTable('sales').set(changes).where('id', '=', row.id).execute();
  for (const { license_id, applied_json } of applied) {
    await tx.updateTable('sale_licenses').set({ applied_json }).where('license_id', '=', license_id).execute();
  }
  await replaceSearchTerms(tx, row, row.kind === null ? [] : saleTerms(row.external_id, []));
}

/** Locks up to `limit` sales whose buyer has this folded address, in the order in which messages lock them. */
export function lockSalesOfBuyer(tx: TenantTransaction, emailKey: string, limit: number): Promise<SalesTable[]> {
  const query = tx.selectFrom('sales').selectAll().where('buyer_email_key', '=', emailKey).orderBy('external_id');
  return forUpdate(tx, query.limit(limit)).execute();
}

/** Removes up to `limit` sales of a connection with all that belongs to them. Returns their number. */
export async function removeSalesOf(tx: TenantTransaction, connectionId: string, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom('sales')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  for (const row of rows) {
    await tx.deleteFrom('sale_licenses').where('sale_id', '=', row.id).execute();
    await deleteSaleRow(tx, row);
  }
  if (rows.length < limit) await tx.deleteFrom('sale_aliases').where('connection_id', '=', connectionId).execute();
  return rows.length;
}
