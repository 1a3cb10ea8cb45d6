import type {
  PlatformDb,
  PlatformTransaction,
  PreparedRead,
  TenantDb,
  TenantTransaction,
} from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { ConnectionsTable } from '../../../db/tables/tenant/sales.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { type TenantRecord, tenantRecordColumns } from '../../../tenancy/tenant-record.ts';
import type { ConnectionsQuery } from './schemas.ts';

type Query = TenantDb['query'];

/** Returns a page of the connections that are not deleted. */
export function listConnections({ query }: TenantDb, page: ConnectionsQuery): Promise<ConnectionsTable[]> {
  return paginate(query.selectFrom('connections').selectAll().where('deleted_at', 'is', null), page).execute();
}

/** Returns a connection that is not deleted, or undefined. */
export function findConnectionRow(query: Query, id: string): Promise<ConnectionsTable | undefined> {
  return query
    .selectFrom('connections')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Reads a connection that is not deleted and locks it until the transaction ends. */
export function lockConnectionRow(tx: TenantTransaction, id: string): Promise<ConnectionsTable | undefined> {
  const query = tx.selectFrom('connections').selectAll().where('id', '=', id).where('deleted_at', 'is', null);
  return forUpdate(tx, query).executeTakeFirst();
}

/** Counts the connections that are not deleted. */
export async function countConnections(tx: TenantTransaction): Promise<number> {
  const { count } = await tx
    .selectFrom('connections')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Replaces all columns of a connection. The caller must have locked it. */
export async function updateConnectionRow(tx: TenantTransaction, row: ConnectionsTable): Promise<void> {
  await tx.updateTable('connections').set(row).where('id', '=', row.id).execute();
}

/** Notes when the latest message of a connection arrived. */
export async function noteMessage(tx: TenantTransaction, id: string, at: Timestamp): Promise<void> {
  await tx.updateTable('connections').set({ last_event_at: at }).where('id', '=', id).execute();
}

/** Returns the connections whose sales are compared every night. */
export function listComparing(query: Query): Promise<ConnectionsTable[]> {
  return query
    .selectFrom('connections')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('status', '=', 'active')
    .where('compares_itself', '=', 1)
    .where('sealed_api_key', 'is not', null)
    .execute();
}

/** Returns the id of a connection that was deleted before a time and that no comparison refers to, or undefined. */
export async function findRemovable(tx: TenantTransaction, before: Timestamp): Promise<string | undefined> {
  const row = await tx
    .selectFrom('connections')
    .select('id')
    .where('deleted_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('comparisons')
            .select('comparisons.id')
            .whereRef('comparisons.connection_id', '=', 'connections.id'),
        ),
      ),
    )
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Removes the row of a connection to which nothing refers any more. */
export async function removeConnectionRow(tx: TenantTransaction, id: string): Promise<void> {
  await tx.deleteFrom('connections').where('id', '=', id).execute();
}

const countedMax = 1000;

/** Counts the sales with a problem and the failed messages without a sale, each at most 1,000, from indexes. */
export async function countProblems(query: Query, connectionId: string): Promise<number> {
  const sales = query
    .selectFrom('sales')
    .select('id')
    .where('connection_id', '=', connectionId)
    .where('problem', 'is not', null)
    .limit(countedMax);
  const messages = query
    .selectFrom('sale_messages')
    .select('id')
    .where('connection_id', '=', connectionId)
    .where('state', '=', 'failed')
    .where('sale_id', 'is', null)
    .limit(countedMax);
  let count = 0;
  for (const rows of [sales, messages]) {
    const counted = query.selectFrom(rows.as('rows')).select(({ fn }) => fn.countAll<number>().as('count'));
    count += Number((await counted.executeTakeFirstOrThrow()).count);
  }
  return Math.min(count, countedMax);
}

const tenantByConnection: PreparedRead<PlatformTables, TenantRecord> = {
  name: 'tenant-by-connection',
  build: (db, parameter) =>
    db
      .selectFrom('sales_connections')
      .innerJoin('tenants', 'tenants.id', 'sales_connections.tenant_id')
      .innerJoin('plans', 'plans.code', 'tenants.plan_code')
      .select(tenantRecordColumns)
      .where('sales_connections.id', '=', parameter(0)),
};

/** Returns the tenant of a connection, or undefined. */
export function findTenantOf(platform: PlatformDb, connectionId: string): Promise<TenantRecord | undefined> {
  return platform.first(tenantByConnection, [connectionId]);
}

/** Removes the row by which the tenant of a connection is found. */
export async function deleteAddress(platform: PlatformDb | PlatformTransaction, id: string): Promise<void> {
  const query = 'query' in platform ? platform.query : platform;
  await query.deleteFrom('sales_connections').where('id', '=', id).execute();
}

/** The secrets with which shops sign, and the keys of their APIs. */
export const sealedConnectionSecrets: readonly SealedColumn<TenantTables>[] = [
  { table: 'connections', column: 'sealed_secret', key: ['id'], what: 'signing secrets of shops' },
  { table: 'connections', column: 'sealed_api_key', key: ['id'], what: 'API keys of shops' },
];
