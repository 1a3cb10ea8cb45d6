import type { PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type {
  MarketingCampaignsTable,
  MarketingSubscribersTable,
  MarketingWithdrawalsTable,
} from '../../../db/tables/platform/marketing.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Inserts the subscription request of an address, or renews an unconfirmed one, whose link stays the same unless
 * `isMailed`. Returns its id, or undefined if the address is already confirmed, in which case nothing changes.
 */
export async function upsertRequest(
  tx: PlatformTransaction,
  isMailed: boolean,
  row: MarketingSubscribersTable,
): Promise<string | undefined> {
  const { requested_at, confirm_token_hash, confirm_expires_at } = row;
  const written = await tx
    .insertInto('marketing_subscribers')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('email')
        .doUpdateSet({ requested_at, ...(isMailed && { confirm_token_hash, confirm_expires_at }) })
        .where('marketing_subscribers.confirmed_at', 'is', null),
    )
    .returning('id')
    .executeTakeFirst();
  return written?.id;
}

/**
 * Stores the consent that a confirmation link gives and invalidates the link. Returns the subscriber's id, or undefined
 * if the link was used, replaced or has expired.
 */
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

/** Deletes the subscriber with an address or an unsubscribe token, confirmed or not, and returns the deleted row. */
export function deleteSubscriber(
  tx: PlatformTransaction,
  column: 'email' | 'unsubscribe_token_hash',
  value: string,
): Promise<MarketingSubscribersTable | undefined> {
  return tx.deleteFrom('marketing_subscribers').where(column, '=', value).returningAll().executeTakeFirst();
}

/** Inserts the proof that a consent existed and was withdrawn. */
export async function insertWithdrawal(tx: PlatformTransaction, row: MarketingWithdrawalsTable): Promise<void> {
  await tx.insertInto('marketing_withdrawals').values(row).execute();
}

/** Returns true if a subscriber with this unsubscribe token has withdrawn the consent. */
export async function isTokenUsed(tx: PlatformTransaction, tokenHash: string): Promise<boolean> {
  const query = tx.selectFrom('marketing_withdrawals').select('id').where('unsubscribe_token_hash', '=', tokenHash);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Inserts a campaign unless it exists, locks its row until the transaction ends, and returns it. */
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

/** Stores the progress of a campaign. */
export async function updateCampaign(
  tx: PlatformTransaction,
  { id, ...progress }: Pick<MarketingCampaignsTable, 'id' | 'last_subscriber_id' | 'queued' | 'completed_at'>,
): Promise<void> {
  await tx.updateTable('marketing_campaigns').set(progress).where('id', '=', id).execute();
}

/** Returns up to `limit` confirmed subscribers with an id greater than `afterId`, in the order of their ids. */
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

/** The tokens with which subscribers unsubscribe. */
export const sealedUnsubscribeTokens: SealedColumn<PlatformTables> = {
  table: 'marketing_subscribers',
  column: 'sealed_unsubscribe_token',
  key: ['id'],
  what: 'tokens to unsubscribe',
};
