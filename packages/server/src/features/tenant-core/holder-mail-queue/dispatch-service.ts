import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdateSkipLocked } from '../../../db/dialect.ts';
import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import { earlierOf } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';

// The states of queued mails. Rendering and sending belong to features/holders/holder-mails.

/** Which mails a run claims, and until when. */
interface MailClaim {
  readonly leaseId: string;
  readonly now: Timestamp;
  readonly endsAt: Timestamp;
  readonly limit: number;
}

/**
 * Claims due mails for one attempt, single mails before those of which there are very many. No other run sends them
 * until the lease ends.
 */
export async function claimDueMails(db: TenantDb, claim: MailClaim): Promise<HolderMailsTable[]> {
  const { leaseId, now, endsAt, limit } = claim;
  return await db.transaction(async (tx) => {
    const claimed: HolderMailsTable[] = [];
    for (const is_bulk of [0, 1] as const) {
      if (claimed.length < limit) claimed.push(...(await lockDue(tx, is_bulk, now, limit - claimed.length)));
    }
    if (claimed.length === 0) return claimed;
    const ids = claimed.map(({ id }) => id);
    await tx
      .updateTable('holder_mails')
      .set((eb) => ({ lease_id: leaseId, next_attempt_at: endsAt, attempts: eb('attempts', '+', 1) }))
      .where('id', 'in', ids)
      .execute();
    return claimed.map((mail) => ({ ...mail, lease_id: leaseId, attempts: mail.attempts + 1 }));
  });
}

function lockDue(tx: TenantTransaction, isBulk: 0 | 1, now: Timestamp, limit: number): Promise<HolderMailsTable[]> {
  const due = tx
    .selectFrom('holder_mails')
    .selectAll()
    .where('is_bulk', '=', isBulk)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(limit);
  return forUpdateSkipLocked(tx, due).execute();
}

/** Gives a claimed mail back with what happened to it. Does nothing if the claim was lost. */
export async function recordAttempt(
  db: TenantDb,
  mail: HolderMailsTable,
  changes: Partial<HolderMailsTable>,
): Promise<void> {
  await db.query
    .updateTable('holder_mails')
    .set({ ...changes, lease_id: null })
    .where('id', '=', mail.id)
    .where('lease_id', '=', mail.lease_id)
    .execute();
}

/** Returns when the next mail may be claimed; null if none is queued. */
export async function findNextMail({ query }: TenantDb): Promise<Timestamp | null> {
  let next: Timestamp | null = null;
  for (const is_bulk of [0, 1] as const) {
    const first = await query
      .selectFrom('holder_mails')
      .select('next_attempt_at')
      .where('is_bulk', '=', is_bulk)
      .where('next_attempt_at', 'is not', null)
      .orderBy('next_attempt_at')
      .limit(1)
      .executeTakeFirst();
    next = earlierOf(next, first?.next_attempt_at ?? null);
  }
  return next;
}
