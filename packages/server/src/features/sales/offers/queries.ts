import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { OffersTable } from '../../../db/tables/tenant/sales.ts';
import { paginate } from '../../../http/cursor.ts';
import type { OffersQuery } from './schemas.ts';

/** Returns a page of the offers of a connection, newest first. */
export function listOffers({ query }: TenantDb, connectionId: string, page: OffersQuery): Promise<OffersTable[]> {
  return paginate(query.selectFrom('offers').selectAll().where('connection_id', '=', connectionId), page).execute();
}

/** Returns the oldest offer of a connection that becomes a license, or undefined. */
export function findFirstOffer({ query }: TenantDb, connectionId: string): Promise<OffersTable | undefined> {
  return query
    .selectFrom('offers')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('quantity', '!=', 'ignore')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Counts the offers of a connection. */
export async function countOffers(tx: TenantTransaction, connectionId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('offers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('connection_id', '=', connectionId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Inserts an offer. Throws a unique violation when the connection has another one for the item. */
export async function insertOffer(tx: TenantTransaction, row: OffersTable): Promise<void> {
  await tx.insertInto('offers').values(row).execute();
}

/** Reads an offer and locks it until the transaction ends. */
export function lockOffer(tx: TenantTransaction, connectionId: string, id: string): Promise<OffersTable | undefined> {
  const query = tx.selectFrom('offers').selectAll().where('id', '=', id).where('connection_id', '=', connectionId);
  return forUpdate(tx, query).executeTakeFirst();
}

/** Replaces all columns of an offer. The caller must have locked it. */
export async function updateOfferRow(tx: TenantTransaction, row: OffersTable): Promise<void> {
  await tx.updateTable('offers').set(row).where('id', '=', row.id).execute();
}

/** Deletes all offers of a connection. */
export async function deleteOffersOf(tx: TenantTransaction, connectionId: string): Promise<void> {
  await tx.deleteFrom('offers').where('connection_id', '=', connectionId).execute();
}

/** Deletes an offer. */
export async function deleteOfferRow(tx: TenantTransaction, id: string): Promise<void> {
  await tx.deleteFrom('offers').where('id', '=', id).execute();
}
