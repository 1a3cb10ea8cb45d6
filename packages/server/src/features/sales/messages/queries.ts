import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type { SaleMessagesTable } from '../../../db/tables/tenant/sales.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { paginate } from '../../../http/cursor.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { SaleEventsQuery } from './schemas.ts';

type Query = TenantDb['query'];

const idsPerStatement = 500;

/** Everything but the body, which can be large. */
const listedColumns = [
  'id',
  'connection_id',
  'external_id',
  'type',
  'occurred_at',
  'received_at',
  'state',
  'attempts',
  'next_attempt_at',
  'effects_json',
  'reason',
  'sale_id',
] as const;

export type ListedMessage = Omit<SaleMessagesTable, 'sealed_body'>;

/** Inserts messages. Those that the connection has already are left as they are. */
export async function insertMessages(tx: TenantTransaction, rows: readonly SaleMessagesTable[]): Promise<void> {
  await tx
    .insertInto('sale_messages')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['connection_id', 'external_id']).doNothing())
    .execute();
}

/** Returns a page of the messages of a connection, newest first. */
export function listMessages(
  { query }: TenantDb,
  connectionId: string,
  { state, sale_id, ...page }: SaleEventsQuery,
): Promise<ListedMessage[]> {
  let rows = query.selectFrom('sale_messages').select(listedColumns).where('connection_id', '=', connectionId);
  if (state !== undefined) rows = rows.where('state', '=', state);
  if (sale_id !== undefined) rows = rows.where('sale_id', '=', sale_id);
  return paginate(rows, page, 'received_at').execute();
}

/** Returns the id of the message with the shop's id, or undefined. */
export async function findMessageId(
  query: Query,
  connectionId: string,
  externalId: string,
): Promise<string | undefined> {
  const row = await query
    .selectFrom('sale_messages')
    .select('id')
    .where('connection_id', '=', connectionId)
    .where('external_id', '=', externalId)
    .executeTakeFirst();
  return row?.id;
}

/** Reads a message and locks it until the transaction ends. */
export function lockMessage(tx: TenantTransaction, id: string): Promise<ListedMessage | undefined> {
  return forUpdate(tx, tx.selectFrom('sale_messages').select(listedColumns).where('id', '=', id)).executeTakeFirst();
}

/** Returns messages of active connections that are due, in the order received. */
export function listDueMessages(query: Query, now: Timestamp, limit: number): Promise<SaleMessagesTable[]> {
  return query
    .selectFrom('sale_messages')
    .innerJoin('connections', 'connections.id', 'sale_messages.connection_id')
    .selectAll('sale_messages')
    .where('sale_messages.next_attempt_at', '<=', now)
    .where('connections.status', '=', 'active')
    .orderBy('sale_messages.next_attempt_at')
    .orderBy('sale_messages.id')
    .limit(limit)
    .execute();
}

/** Returns when the next message of an active connection is due; null if none waits. */
export async function nextMessageDue(query: Query): Promise<Timestamp | null> {
  const row = await query
    .selectFrom('sale_messages')
    .innerJoin('connections', 'connections.id', 'sale_messages.connection_id')
    .select('sale_messages.next_attempt_at')
    .where('sale_messages.next_attempt_at', 'is not', null)
    .where('connections.status', '=', 'active')
    .orderBy('sale_messages.next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
}

/** The columns that an attempt to apply a message changes. */
export type MessageResult = Partial<
  Pick<SaleMessagesTable, 'state' | 'attempts' | 'next_attempt_at' | 'effects_json' | 'reason' | 'sale_id'>
>;

/** Delays the due messages of a connection, whose shop asked for a pause. */
export async function postponeMessages(
  query: Query,
  connectionId: string,
  { now, until }: { readonly now: Timestamp; readonly until: Timestamp },
): Promise<void> {
  await query
    .updateTable('sale_messages')
    .set({ next_attempt_at: until })
    .where('connection_id', '=', connectionId)
    .where('next_attempt_at', '<=', now)
    .execute();
}

/** Makes the failed messages of sales due now. */
export async function makeFailedDue(query: Query, saleIds: readonly string[], at: Timestamp): Promise<void> {
  if (saleIds.length === 0) return;
  await query
    .updateTable('sale_messages')
    .set({ next_attempt_at: at })
    .where('sale_id', 'in', saleIds)
    .where('state', '=', 'failed')
    .execute();
}

/** The failed messages of sales that wait for an offer are tried again. Call it in the transaction that changes an offer. */
export async function retryUnmapped(tx: TenantTransaction, connectionId: string, at: Timestamp): Promise<void> {
  await tx
    .updateTable('sale_messages')
    .set({ next_attempt_at: at })
    .where('connection_id', '=', connectionId)
    .where('state', '=', 'failed')
    .where('sale_id', 'in', ({ selectFrom }) =>
      selectFrom('sales')
        .select('sales.id')
        .where('sales.connection_id', '=', connectionId)
        .where('sales.problem', '=', 'unmapped'),
    )
    .execute();
}

/** Replaces the bodies of messages, or of all messages about sales. */
export async function replaceBodies(
  tx: TenantTransaction,
  { column, values }: { readonly column: 'id' | 'sale_id'; readonly values: readonly string[] },
  sealedBody: string,
): Promise<void> {
  for (const batch of batchesOf(values, idsPerStatement)) {
    await tx.updateTable('sale_messages').set({ sealed_body: sealedBody }).where(column, 'in', batch).execute();
  }
}

/** Returns messages that belong to no sale, in the order of their ids, after the id `after`. */
export function listUnlinked(
  { query }: TenantDb,
  after: string,
  limit: number,
): Promise<Pick<SaleMessagesTable, 'id' | 'sealed_body'>[]> {
  return query
    .selectFrom('sale_messages')
    .select(['id', 'sealed_body'])
    .where('sale_id', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Removes up to `limit` messages of a connection that was deleted. Returns their number. */
export async function removeMessagesOf(tx: TenantTransaction, connectionId: string, limit: number): Promise<number> {
  const oldest = tx
    .selectFrom('sale_messages')
    .select('id')
    .where('connection_id', '=', connectionId)
    .orderBy('received_at')
    .limit(limit);
  const { numDeletedRows } = await tx.deleteFrom('sale_messages').where('id', 'in', oldest).executeTakeFirst();
  return Number(numDeletedRows);
}

/** The bodies of messages. */
export const sealedMessages: SealedColumn<TenantTables> = {
  table: 'sale_messages',
  column: 'sealed_body',
  key: ['id'],
  what: 'messages of shops',
};
