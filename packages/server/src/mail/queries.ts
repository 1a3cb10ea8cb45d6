import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import type { DeadMailsTable, MailsTable } from '../db/tables/platform/mails.ts';
import type { Timestamp } from '../lib/clock.ts';

export async function insertMail(tx: PlatformTransaction, row: MailsTable): Promise<void> {
  await tx.insertInto('mails').values(row).execute();
}

export function listDueMails(platform: PlatformDb, now: Timestamp, limit: number): Promise<MailsTable[]> {
  return platform.query
    .selectFrom('mails')
    .selectAll()
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Takes a due mail for one attempt. False when another process was faster: its claim changed the row. */
export async function claimMail(platform: PlatformDb, mail: MailsTable, leaseEndsAt: Timestamp): Promise<boolean> {
  const result = await platform.query
    .updateTable('mails')
    .set({ attempts: mail.attempts + 1, next_attempt_at: leaseEndsAt })
    .where('id', '=', mail.id)
    .where('attempts', '=', mail.attempts)
    .where('next_attempt_at', '=', mail.next_attempt_at)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** A mail under the attempt of this process: whoever lost it to another finds another number of attempts. */
type Claimed = Pick<MailsTable, 'id' | 'attempts'>;

/** Goes on holding a claimed mail. */
export async function extendClaim(platform: PlatformDb, mail: Claimed, leaseEndsAt: Timestamp): Promise<void> {
  await postponeMail(platform, mail, { next_attempt_at: leaseEndsAt });
}

export async function postponeMail(
  platform: PlatformDb,
  { id, attempts }: Claimed,
  change: { readonly next_attempt_at: Timestamp; readonly last_error?: string },
): Promise<void> {
  await platform.query.updateTable('mails').set(change).where('id', '=', id).where('attempts', '=', attempts).execute();
}

/** Removes a claimed mail; false when it is no longer this claim's. */
export async function deleteMail(db: PlatformTransaction | PlatformDb['query'], mail: Claimed): Promise<boolean> {
  const result = await db
    .deleteFrom('mails')
    .where('id', '=', mail.id)
    .where('attempts', '=', mail.attempts)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function insertDeadMail(tx: PlatformTransaction, row: DeadMailsTable): Promise<void> {
  await tx.insertInto('dead_mails').values(row).execute();
}

/** Removes dead mails and answers them: one by its id, or all of them, up to `limit`. */
export async function takeDeadMails(
  tx: PlatformTransaction,
  id: string | null,
  limit: number,
): Promise<DeadMailsTable[]> {
  let ids = tx.selectFrom('dead_mails').select('id').orderBy('died_at').orderBy('id').limit(limit);
  if (id !== null) ids = ids.where('id', '=', id);
  return tx.deleteFrom('dead_mails').where('id', 'in', ids).returningAll().execute();
}

export async function deleteDeadMailsBefore(platform: PlatformDb, moment: Timestamp, limit: number): Promise<bigint> {
  const old = platform.query
    .selectFrom('dead_mails')
    .select('id')
    .where('died_at', '<', moment)
    .orderBy('died_at')
    .limit(limit);
  const result = await platform.query.deleteFrom('dead_mails').where('id', 'in', old).executeTakeFirst();
  return result.numDeletedRows;
}

/** The mails that wait, oldest first, after the id given. */
export function listWaitingMails(platform: PlatformDb, afterId: string, limit: number): Promise<MailsTable[]> {
  return platform.query.selectFrom('mails').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute();
}

/** The mails that were refused for good, by their ids, after the one given. */
export function listDeadMails(platform: PlatformDb, afterId: string, limit: number): Promise<DeadMailsTable[]> {
  return platform.query
    .selectFrom('dead_mails')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Makes mail due that was put off to after a moment: by a clock that was ahead, and was set right since. */
export async function bringMailsForward(platform: PlatformDb, after: Timestamp, now: Timestamp): Promise<void> {
  const late = platform.query.updateTable('mails').set({ next_attempt_at: now }).where('next_attempt_at', '>', after);
  await late.execute();
}

/** Makes a waiting mail due; false when there is none of that id. */
export async function makeMailDue(platform: PlatformDb, id: string, now: Timestamp): Promise<boolean> {
  const result = await platform.query
    .updateTable('mails')
    .set({ next_attempt_at: now })
    .where('id', '=', id)
    .where('next_attempt_at', '>', now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** How many mails wait and are dead, each up to `max`, and since when the oldest waits. */
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
