import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { insertMail, makeMailDue, takeDeadMails } from './queries.ts';

const batchSize = 200;

/**
 * Makes mail due now: the queued or dead mail with the given id, or all dead mail if `id` is null. Dead mail starts
 * again with zero attempts. Returns how many mails were made due. A mail that has expired is deleted at its next
 * attempt.
 */
export async function retryMails(
  { clock, platform }: { readonly clock: Clock; readonly platform: PlatformDb },
  id: string | null,
): Promise<number> {
  let revived = 0;
  for (;;) {
    const count = await platform.transaction(async (tx) => {
      const dead = await takeDeadMails(tx, id, batchSize);
      for (const { died_at: _diedAt, ...row } of dead) {
        await insertMail(tx, { ...row, attempts: 0, next_attempt_at: clock.now() });
      }
      return dead.length;
    });
    revived += count;
    if (count < batchSize) break;
  }
  if (revived === 0 && id !== null && (await makeMailDue(platform, id, clock.now()))) return 1;
  return revived;
}

/**
 * Makes the dead mail with this id due now, with zero attempts; `record` runs in the same transaction. Returns false if
 * there is no such dead mail, for example because another process has just made it due.
 */
export async function retryDeadMail(
  { clock, platform }: { readonly clock: Clock; readonly platform: PlatformDb },
  id: string,
  record: (tx: PlatformTransaction) => Promise<void>,
): Promise<boolean> {
  return await platform.transaction(async (tx) => {
    const [dead] = await takeDeadMails(tx, id, 1);
    if (dead === undefined) return false;
    const { died_at: _diedAt, ...row } = dead;
    await insertMail(tx, { ...row, attempts: 0, next_attempt_at: clock.now() });
    await record(tx);
    return true;
  });
}
