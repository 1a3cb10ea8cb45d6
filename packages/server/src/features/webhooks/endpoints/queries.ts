import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import { paginate } from '../../../http/cursor.ts';
import type { WebhooksQuery } from './schemas.ts';

export function listWebhooks(db: TenantDb, filters: WebhooksQuery): Promise<WebhookEndpointsTable[]> {
  let query = db.query.selectFrom('webhook_endpoints').selectAll().where('deleted_at', 'is', null);
  if (filters.status !== undefined) query = query.where('status', '=', filters.status);
  return paginate(query, filters).execute();
}

export function findWebhook(db: TenantDb, id: string): Promise<WebhookEndpointsTable | undefined> {
  return db.query
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Reads an endpoint, a deleted one too, and keeps others from changing it until the transaction ends. */
export function lockWebhook(tx: TenantTransaction, id: string): Promise<WebhookEndpointsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('webhook_endpoints').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** How many endpoints there are; deleted ones do not count. */
export async function countWebhooks(tx: TenantTransaction): Promise<number> {
  const { count } = await tx
    .selectFrom('webhook_endpoints')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function createWebhookRow(tx: TenantTransaction, row: WebhookEndpointsTable): Promise<void> {
  await tx.insertInto('webhook_endpoints').values(row).execute();
}

export async function updateWebhookRow(tx: TenantTransaction, row: WebhookEndpointsTable): Promise<void> {
  await tx.updateTable('webhook_endpoints').set(row).where('id', '=', row.id).execute();
}

/** Ends the failure streaks of these endpoints; most have none, and then nothing is written. */
export async function clearFailures(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({ failed_deliveries: 0, failing_since: null })
    .where('id', 'in', ids)
    .where('failed_deliveries', '>', 0)
    .execute();
}

/** Replaces the stored form of secrets, unless they were rotated meanwhile. */
export async function replaceSealedSecrets(db: TenantDb, id: string, before: string, after: string): Promise<void> {
  await db.query
    .updateTable('webhook_endpoints')
    .set({ sealed_secrets: after })
    .where('id', '=', id)
    .where('sealed_secrets', '=', before)
    .execute();
}
