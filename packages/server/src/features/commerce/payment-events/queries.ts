import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { PaymentEventsTable } from '../../../db/tables/platform/payments.ts';
import { type PageRequest, paginate, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Filters of the list of events. */
export interface PaymentEventFilters extends PageRequest {
  readonly type?: string | undefined;
  readonly provider_subscription_id?: string | undefined;
}

/** Returns one page of the received events, the newest first. */
export async function listPaymentEvents(
  platform: PlatformDb,
  filters: PaymentEventFilters,
): Promise<Page<PaymentEventsTable>> {
  let query = platform.query.selectFrom('payment_events').selectAll();
  for (const column of ['type', 'provider_subscription_id'] as const) {
    const value = filters[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  return toPage(await paginate(query, filters, 'received_at').execute(), filters.limit, 'received_at');
}

/** Inserts an event. Returns false when the provider's event is stored already. */
export async function insertPaymentEvent(tx: PlatformTransaction, row: PaymentEventsTable): Promise<boolean> {
  const inserted = await tx
    .insertInto('payment_events')
    .values(row)
    .onConflict((conflict) => conflict.columns(['provider', 'provider_event_id']).doNothing())
    .executeTakeFirst();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Marks an event as replayed and returns it; undefined for an unknown id. */
export async function markReplayed(
  tx: PlatformTransaction,
  id: string,
  at: Timestamp,
): Promise<PaymentEventsTable | undefined> {
  const query = tx.selectFrom('payment_events').selectAll().where('id', '=', id);
  const row = await forUpdate(tx, query).executeTakeFirst();
  if (row === undefined) return undefined;
  await tx.updateTable('payment_events').set({ replayed_at: at }).where('id', '=', id).execute();
  return { ...row, replayed_at: at };
}
