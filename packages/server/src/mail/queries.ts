import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import type { MailsTable } from '../db/tables.ts';
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

export async function postponeMail(
  platform: PlatformDb,
  id: string,
  nextAttemptAt: Timestamp,
  lastError: string,
): Promise<void> {
  await platform.query
    .updateTable('mails')
    .set({ next_attempt_at: nextAttemptAt, last_error: lastError })
    .where('id', '=', id)
    .execute();
}

export async function deleteMail(platform: PlatformDb, id: string): Promise<void> {
  await platform.query.deleteFrom('mails').where('id', '=', id).execute();
}
