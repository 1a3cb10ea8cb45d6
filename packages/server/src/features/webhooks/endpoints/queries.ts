import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { WebhooksQuery } from './schemas.ts';

/** Returns a page of endpoints that are not deleted. */
export function listWebhooks(db: TenantDb, filters: WebhooksQuery): Promise<WebhookEndpointsTable[]> {
  let query = db.query.selectFrom('webhook_endpoints').selectAll().where('deleted_at', 'is', null);
  if (filters.status !== undefined) query = query.where('status', '=', filters.status);
  return paginate(query, filters).execute();
}

/** Returns an endpoint that is not deleted, or undefined. */
export function findWebhook(db: TenantDb, id: string): Promise<WebhookEndpointsTable | undefined> {
  return db.query
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/**
 * Locks endpoints, deleted ones too, in the order of their ids until the transaction ends. Callers lock endpoints
 * before deliveries so that no two transactions wait for each other.
 */
export function lockForFailures(tx: TenantTransaction, ids: readonly string[]): Promise<WebhookEndpointsTable[]> {
  return forUpdate(tx, tx.selectFrom('webhook_endpoints').selectAll().where('id', 'in', ids).orderBy('id')).execute();
}

/** Returns the endpoints among `ids` that are enabled and not deleted: deliveries may be sent to them. */
export function readEnabledWebhooks(tx: TenantTransaction, ids: readonly string[]): Promise<WebhookEndpointsTable[]> {
  return tx
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', 'in', ids)
    .where('status', '=', 'enabled')
    .where('deleted_at', 'is', null)
    .execute();
}

/** Reads the status of every endpoint that is not deleted. */
export function listWebhookStatuses({ query }: TenantDb): Promise<Pick<WebhookEndpointsTable, 'status'>[]> {
  return query.selectFrom('webhook_endpoints').select('status').where('deleted_at', 'is', null).execute();
}

/** Counts the endpoints that are not deleted. */
export async function countWebhooks(tx: TenantTransaction): Promise<number> {
  const { count } = await tx
    .selectFrom('webhook_endpoints')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Replaces all columns of an endpoint. The caller must have locked it. */
export async function updateWebhookRow(tx: TenantTransaction, row: WebhookEndpointsTable): Promise<void> {
  await tx.updateTable('webhook_endpoints').set(row).where('id', '=', row.id).execute();
}

/** Ends the failure streaks of endpoints. Writes nothing for endpoints without a streak, which are most of them. */
export async function endFailureStreaks(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({ failed_deliveries: 0, failing_since: null })
    .where('id', 'in', ids)
    .where('failed_deliveries', '>', 0)
    .execute();
}

/** The columns of an endpoint that are encrypted under the application key. */
export type SealedWebhookColumn = 'sealed_secrets' | 'sealed_headers';

/** Replaces an encrypted value of an endpoint. Does nothing if it was changed since `before` was read. */
export async function replaceSealed(
  db: TenantDb,
  { id, column, before, after }: Record<'id' | 'before' | 'after', string> & { readonly column: SealedWebhookColumn },
): Promise<void> {
  await db.query
    .updateTable('webhook_endpoints')
    .set({ [column]: after })
    .where('id', '=', id)
    .where(column, '=', before)
    .execute();
}

/** Returns whether a product exists. Licensing imports webhooks, so this cannot ask its service of products. */
export async function hasProduct({ query }: TenantDb, id: string): Promise<boolean> {
  return (await query.selectFrom('products').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/**
 * Removes the rows of endpoints that were deleted before a time and that no delivery refers to. The subquery reads the
 * first reference with an id equal to or above the endpoint's: with a condition on the id itself, PostgreSQL would scan
 * deliveries until it found one.
 */
export async function removeDeletedWebhooks(tx: TenantTransaction, before: Timestamp): Promise<void> {
  await tx
    .deleteFrom('webhook_endpoints')
    .where('deleted_at', '<', before)
    .where(
      ({ selectFrom }) =>
        selectFrom('webhook_deliveries')
          .select(({ fn }) => fn.min('webhook_deliveries.webhook_id').as('first'))
          .whereRef('webhook_deliveries.webhook_id', '>=', 'webhook_endpoints.id'),
      'is distinct from',
      ({ ref }) => ref('webhook_endpoints.id'),
    )
    .execute();
}

/** The secrets with which webhooks are signed, and the own headers of endpoints. */
export const sealedWebhookColumns: readonly SealedColumn<TenantTables>[] = [
  { table: 'webhook_endpoints', column: 'sealed_secrets', key: ['id'], what: 'webhook secrets' },
  { table: 'webhook_endpoints', column: 'sealed_headers', key: ['id'], what: 'webhook headers' },
];

/** Returns every endpoint that is not deleted. */
export function listAllWebhooks({ query }: TenantDb): Promise<WebhookEndpointsTable[]> {
  return query.selectFrom('webhook_endpoints').selectAll().where('deleted_at', 'is', null).execute();
}
