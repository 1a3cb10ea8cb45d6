import type { PlatformDb } from '../../../db/database.ts';
import type { DeadMailsTable, MailsTable } from '../../../db/tables/platform/background.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Returns a dead mail, or undefined. */
export function findDeadMail(platform: PlatformDb, id: string): Promise<DeadMailsTable | undefined> {
  return platform.query.selectFrom('dead_mails').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a queued mail, or undefined. */
export function findQueuedMail(platform: PlatformDb, id: string): Promise<MailsTable | undefined> {
  return platform.query.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
}

interface DeadMailsBetween extends PageRequest {
  readonly from?: Timestamp | undefined;
  /** Exclusive. */
  readonly to?: Timestamp | undefined;
}

/** Returns one page of the dead mails, the most recently abandoned first. */
export function pageOfDeadMails(
  platform: PlatformDb,
  { from, to, ...page }: DeadMailsBetween,
): Promise<DeadMailsTable[]> {
  let query = platform.query.selectFrom('dead_mails').selectAll();
  if (from !== undefined) query = query.where('died_at', '>=', from);
  if (to !== undefined) query = query.where('died_at', '<', to);
  return paginate(query, page, 'died_at').execute();
}
