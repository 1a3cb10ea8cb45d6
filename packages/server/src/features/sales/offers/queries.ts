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

/** Reads an offer and locks it until the transaction ends. */
export function lockOffer(tx: TenantTransaction, connectionId: string, id: string): Promise<OffersTable | undefined> {
  const query = tx.selectFrom('offers').selectAll().where('id', '=', id).where('connection_id', '=', connectionId);
  return forUpdate(tx, query).executeTakeFirst();
}
