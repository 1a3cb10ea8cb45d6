import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type {
  MarketingCampaignsTable,
  MarketingSubscribersTable,
  MarketingWithdrawalsTable,
} from '../../../db/tables/platform/marketing.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Writes the request of an address, or renews the one that was not confirmed yet. Answers its id; undefined when the
 * address has given its consent already, which stays as it is.
 */
export async function upsertRequest(
  tx: PlatformTransaction,
  row: MarketingSubscribersTable,
): Promise<string | undefined> {
  const { requested_at, confirm_token_hash, confirm_expires_at } = row;
  const written = await tx
    .insertInto('marketing_subscribers')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('email')
        .doUpdateSet({ requested_at, confirm_token_hash, confirm_expires_at })
        .where('marketing_subscribers.confirmed_at', 'is', null),
    )
    .returning('id')
    .executeTakeFirst();
  return written?.id;
}

/** Notes the consent that a link gives, once; undefined when the link does not work any more. */
export async function confirmRequest(
  tx: PlatformTransaction,
  confirmTokenHashes: readonly string[],
  consent: Pick<MarketingSubscribersTable, 'confirmed_at' | 'unsubscribe_token_hash' | 'sealed_unsubscribe_token'>,
  now: Timestamp,
): Promise<string | undefined> {
  const row = await tx
    .updateTable('marketing_subscribers')
    .set({ ...consent, confirm_token_hash: null })
    .where('confirm_token_hash', 'in', confirmTokenHashes)
    .where('confirm_expires_at', '>', now)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Removes the subscriber of an address or of the token of a mail, confirmed or not, and answers the row. */
export function deleteSubscriber(
  tx: PlatformTransaction,
  column: 'email' | 'unsubscribe_token_hash',
  value: string,
): Promise<MarketingSubscribersTable | undefined> {
  return tx.deleteFrom('marketing_subscribers').where(column, '=', value).returningAll().executeTakeFirst();
}

export async function insertWithdrawal(tx: PlatformTransaction, row: MarketingWithdrawalsTable): Promise<void> {
  await tx.insertInto('marketing_withdrawals').values(row).execute();
}

/** Removes requests that were never confirmed, up to `limit`; answers how many. */
export async function deleteExpiredRequests(platform: PlatformDb, now: Timestamp, limit: number): Promise<number> {
  const expired = platform.query
    .selectFrom('marketing_subscribers')
    .select('id')
    .where('confirmed_at', 'is', null)
    .where('confirm_expires_at', '<=', now)
    .orderBy('confirm_expires_at')
    .limit(limit);
  const result = await platform.query.deleteFrom('marketing_subscribers').where('id', 'in', expired).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Begins a campaign unless it was begun before, answers how far it is, and keeps others from going on with it. */
export async function lockCampaign(
  tx: PlatformTransaction,
  row: MarketingCampaignsTable,
): Promise<MarketingCampaignsTable> {
  await tx
    .insertInto('marketing_campaigns')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const query = tx.selectFrom('marketing_campaigns').selectAll().where('id', '=', row.id);
  return forUpdate(tx, query).executeTakeFirstOrThrow();
}

export async function updateCampaign(
  tx: PlatformTransaction,
  { id, ...progress }: Pick<MarketingCampaignsTable, 'id' | 'last_subscriber_id' | 'queued' | 'completed_at'>,
): Promise<void> {
  await tx.updateTable('marketing_campaigns').set(progress).where('id', '=', id).execute();
}

/** Those who gave their consent, in the order of their ids, after the one given. */
export function listConfirmed(
  tx: PlatformTransaction,
  afterId: string,
  limit: number,
): Promise<MarketingSubscribersTable[]> {
  return tx
    .selectFrom('marketing_subscribers')
    .selectAll()
    .where('confirmed_at', 'is not', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function updateUnsubscribeToken(
  tx: PlatformTransaction,
  id: string,
  token: Pick<MarketingSubscribersTable, 'unsubscribe_token_hash' | 'sealed_unsubscribe_token'>,
): Promise<void> {
  await tx.updateTable('marketing_subscribers').set(token).where('id', '=', id).execute();
}
