import { type SqlBool, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import { forUpdateSkipLocked } from '../db/dialect.ts';
import type { ExpiredRows } from '../db/expired-rows.ts';
import type { SealedColumn } from '../db/sealed.ts';
import type { DeadMailsTable, MailCountsTable, MailsTable } from '../db/tables/platform/background.ts';
import type { PlatformTables } from '../db/tables/platform-tables.ts';
import type { Timestamp } from '../lib/clock.ts';
import { addDays } from '../lib/duration.ts';

/**
 * Counts a mail in the window of a key and returns the window, which this mail is part of. Opens a new window if there is
 * none, if it has ended, or if it ends later than a new one would: the clock was ahead when it was opened.
 */
export function countMail(
  tx: PlatformTransaction,
  keyHash: string,
  { now, endsAt }: { readonly now: Timestamp; readonly endsAt: Timestamp },
): Promise<Pick<MailCountsTable, 'hits' | 'ends_at'>> {
  const isOver = sql<SqlBool>`(mail_counts.ends_at <= ${now} or mail_counts.ends_at > ${endsAt})`;
  return tx
    .insertInto('mail_counts')
    .values({ key_hash: keyHash, hits: 1, ends_at: endsAt })
    .onConflict((conflict) =>
      conflict.column('key_hash').doUpdateSet({
        hits: sql<number>`case when ${isOver} then 1 else mail_counts.hits + 1 end`,
        ends_at: sql<Timestamp>`case when ${isOver} then ${endsAt} else mail_counts.ends_at end`,
      }),
    )
    .returning(['hits', 'ends_at'])
    .executeTakeFirstOrThrow();
}

/** Returns when the next attempt of a mail is due, or null if no mail is queued. */
export async function findNextAttempt({ query }: PlatformDb): Promise<Timestamp | null> {
  const next = query.selectFrom('mails').select('next_attempt_at').orderBy('next_attempt_at').limit(1);
  return (await next.executeTakeFirst())?.next_attempt_at ?? null;
}

/** Claims the mail that is due first for one attempt, until the lease ends. Returns undefined if none is due. */
export async function claimMail(
  platform: PlatformDb,
  { now, endsAt }: { readonly now: Timestamp; readonly endsAt: Timestamp },
): Promise<MailsTable | undefined> {
  return await platform.transaction(async (tx) => {
    const due = tx.selectFrom('mails').selectAll().where('next_attempt_at', '<=', now);
    const first = due.orderBy('next_attempt_at').orderBy('id').limit(1);
    const mail = await forUpdateSkipLocked(tx, first).executeTakeFirst();
    if (mail === undefined) return undefined;
    const claim = { attempts: mail.attempts + 1, next_attempt_at: endsAt };
    await tx.updateTable('mails').set(claim).where('id', '=', mail.id).execute();
    return { ...mail, ...claim };
  });
}

/** A claimed mail. The number of attempts identifies the claim, because each claim increments it. */
type Claimed = Pick<MailsTable, 'id' | 'attempts'>;

/** Returns a claimed mail to the queue, due later. Does nothing if the claim was lost. */
export async function postponeMail(
  platform: PlatformDb,
  { id, attempts }: Claimed,
  change: Pick<MailsTable, 'next_attempt_at'> & Partial<Pick<MailsTable, 'last_error' | 'attempts'>>,
): Promise<void> {
  await platform.query.updateTable('mails').set(change).where('id', '=', id).where('attempts', '=', attempts).execute();
}

/** Deletes a claimed mail. Returns false if the claim was lost. */
export async function deleteMail(db: PlatformTransaction | PlatformDb['query'], mail: Claimed): Promise<boolean> {
  const result = await db
    .deleteFrom('mails')
    .where('id', '=', mail.id)
    .where('attempts', '=', mail.attempts)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes and returns dead mails: the one with the given id, or the oldest `limit` ones if `id` is null. */
export async function takeDeadMails(
  tx: PlatformTransaction,
  id: string | null,
  limit: number,
): Promise<DeadMailsTable[]> {
  let ids = tx.selectFrom('dead_mails').select('id').orderBy('died_at').orderBy('id').limit(limit);
  if (id !== null) ids = ids.where('id', '=', id);
  return tx.deleteFrom('dead_mails').where('id', 'in', ids).returningAll().execute();
}

/** Returns up to `limit` queued mails after an id, oldest first. */
export function listWaitingMails(platform: PlatformDb, afterId: string, limit: number): Promise<MailsTable[]> {
  return platform.query.selectFrom('mails').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute();
}

/** Returns up to `limit` dead mails after an id, in the order of ids. */
export function listDeadMails(platform: PlatformDb, afterId: string, limit: number): Promise<DeadMailsTable[]> {
  return platform.query
    .selectFrom('dead_mails')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Makes mails with a next attempt after a time due: a clock running ahead has postponed them. */
export async function bringMailsForward(platform: PlatformDb, after: Timestamp, now: Timestamp): Promise<void> {
  const late = platform.query.updateTable('mails').set({ next_attempt_at: now }).where('next_attempt_at', '>', after);
  await late.execute();
}

/** Makes a queued mail due. Returns false if there is no such mail or if it is due already. */
export async function makeMailDue(platform: PlatformDb, id: string, now: Timestamp): Promise<boolean> {
  const result = await platform.query
    .updateTable('mails')
    .set({ next_attempt_at: now })
    .where('id', '=', id)
    .where('next_attempt_at', '>', now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Counts queued mails and dead mails, each up to `max`, and reads when the oldest queued mail was created. */
export async function readMailBacklog(platform: PlatformDb, max: number) {
  const count = (table: 'mails' | 'dead_mails') =>
    platform.query
      .selectFrom((eb) => eb.selectFrom(table).select('id').limit(max).as('some'))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
  const [waiting, dead] = [await count('mails'), await count('dead_mails')];
  const oldest = await platform.query
    .selectFrom('mails')
    .select('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return { waiting: Number(waiting.count), dead: Number(dead.count), oldestAt: oldest?.created_at ?? null };
}

/** The mails that wait, and those that the server rejected. */
export const sealedMails: readonly SealedColumn<PlatformTables>[] = [
  { table: 'mails', column: 'sealed_message', key: ['id'], what: 'waiting mails' },
  { table: 'dead_mails', column: 'sealed_message', key: ['id'], what: 'rejected mails' },
];

const deadMailDays = 30;

/** Returns which rows are deleted: dead mails after 30 days, and counts whose window has ended. */
export function mailRetention(now: Timestamp): readonly ExpiredRows<PlatformTables>[] {
  return [
    { table: 'dead_mails', order: ['died_at', 'id'], before: addDays(now, -deadMailDays) },
    { table: 'mail_counts', order: ['ends_at'], before: now },
  ];
}
