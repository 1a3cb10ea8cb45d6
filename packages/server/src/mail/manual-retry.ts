import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { insertMail, makeMailDue, takeDeadMails } from './queries.ts';

const batchSize = 200;

interface RetryServices {
  readonly clock: Clock;
  readonly platform: PlatformDb;
}

/**
 * Makes mail due now: the queued or dead mail with the given id, or all dead mail if `id` is null. Dead mail starts
 * again with zero attempts. Returns how many mails were made due. A mail that has expired is deleted at its next
 * attempt.
 */
export async function retryMails(services: RetryServices, id: string | null): Promise<number> {
  const { clock, platform } = services;
  let revived = 0;
  for (;;) {
    const count = await platform.transaction((tx) => reviveDead(tx, services, id, batchSize));
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
  services: RetryServices,
  id: string,
  record: (tx: PlatformTransaction) => Promise<void>,
): Promise<boolean> {
  return await services.platform.transaction(async (tx) => {
    if ((await reviveDead(tx, services, id, 1)) === 0) return false;
    await record(tx);
    return true;
  });
}

async function reviveDead(tx: PlatformTransaction, { clock }: RetryServices, id: string | null, limit: number) {
  const dead = await takeDeadMails(tx, id, limit);
  for (const { died_at: _diedAt, ...row } of dead) {
    await insertMail(tx, { ...row, attempts: 0, next_attempt_at: clock.now() });
  }
  return dead.length;
}
