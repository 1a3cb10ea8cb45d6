import { sql } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { Services } from '../../../services.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { isSwitchedOn } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import { queueHolderMails } from '../../tenant-core/holder-mail-queue/queue.ts';
import { readSwitches } from '../../tenant-core/holder-mail-queue/service.ts';
import { findMailSettings } from './queries.ts';

/** A batch takes a few milliseconds, for which an embedded database serves no other request. */
const batchSize = 50;
const batchesPerRun = 20_000;

/**
 * Creates the daily job that reminds holders of licenses that end, on each of the days before the end that the tenant
 * chose. A license is reminded of once per day and end: mark and mail are one transaction, so a run that dies continues
 * without a repetition.
 */
export function reminderJob(services: Services): Job {
  return { kind: 'holder-reminders', daily: true, outlastsCrashes: true, run: (run) => remind(services, run) };
}

async function remind(services: Services, run: JobRun): Promise<Timestamp | null> {
  const { clock } = services;
  const { expiring_days_json } = await findMailSettings(run.db);
  const days = (JSON.parse(expiring_days_json) as number[]).toSorted((one, other) => other - one);
  const now = clock.now();
  let batches = 0;
  for (const [index, day] of days.entries()) {
    const window = { days: day, from: addDays(now, days[index + 1] ?? 0), to: addDays(now, day) };
    // No id is greater, so the first batch begins after `from`.
    let after: Position | null = { expires_at: window.from, id: 'zzzz' };
    while (after !== null) {
      if (run.signal.aborted || batches >= batchesPerRun) return addSeconds(clock.now(), 1);
      batches += 1;
      after = await remindBatch(services, run, window, after);
      await yieldToEventLoop();
    }
  }
  return null;
}

/** The licenses that end after `from` and by `to` are reminded of their end in `days` days. */
interface Window {
  readonly days: number;
  readonly from: Timestamp;
  readonly to: Timestamp;
}

interface Position {
  readonly expires_at: Timestamp;
  readonly id: string;
}

/** Queues the mails of one batch. Returns the position after which the next one begins; null after the last one. */
async function remindBatch(
  services: Services,
  { tenantId, db }: JobRun,
  window: Window,
  after: Position,
): Promise<Position | null> {
  return await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
    const rows = await listEnding(tx, window, after);
    const switches = await readSwitches(tx);
    const reminded = rows.filter((row) => isSwitchedOn(switches, 'license.expiring', row.product_id));
    await queueHolderMails(
      tx,
      reminded.map(({ id, holder_email, product_id, expires_at }) => ({
        type: 'license.expiring',
        to: holder_email,
        licenseId: id,
        productId: product_id,
        event: `${id} ${expires_at} ${window.days}`,
        notifyHolder: true,
      })),
      { ...services, outbox },
    );
    await markReminded(tx, reminded, window.days);
    const last = rows.at(-1);
    return last === undefined || rows.length < batchSize ? null : { expires_at: last.expires_at, id: last.id };
  });
}

interface Ending extends Position {
  readonly product_id: string;
  readonly holder_email: string;
}

/**
 * Returns the licenses of a window that have an address and were not reminded of this end for as few days. A license whose
 * whole term is no longer than the days is not reminded: the holder has just got it, or has just renewed it.
 */
async function listEnding(tx: TenantTransaction, { days, to }: Window, after: Position): Promise<Ending[]> {
  const rows = await tx
    .selectFrom('licenses')
    .innerJoin('policies', 'policies.id', 'licenses.policy_id')
    .leftJoin('holder_mail_reminders as reminder', 'reminder.license_id', 'licenses.id')
    .select(['licenses.id', 'licenses.product_id', 'licenses.holder_email', 'licenses.expires_at'])
    .where('licenses.deleted_at', 'is', null)
    // Written without `=`, so that SQLite does not choose the index on status, which contains nearly every license.
    .where('licenses.status', 'not in', ['suspended', 'revoked'])
    .where('licenses.holder_email', 'is not', null)
    .where('licenses.expires_at', '<=', to)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('licenses.expires_at', 'licenses.id'), '>', tuple(after.expires_at, after.id) as never),
    )
    .where(({ eb, or }) =>
      or([
        eb('reminder.license_id', 'is', null),
        eb('reminder.expires_at', '<>', eb.ref('licenses.expires_at') as never),
        eb('reminder.days', '>', days),
      ]),
    )
    .where(({ eb, or }) => or([eb('policies.duration_days', 'is', null), eb('policies.duration_days', '>', days)]))
    // A month has at least 28 days.
    .where(({ eb, or }) =>
      or([eb('policies.duration_months', 'is', null), eb('policies.duration_months', '>', Math.floor(days / 28))]),
    )
    .orderBy('licenses.expires_at')
    .orderBy('licenses.id')
    .limit(batchSize)
    .execute();
  return rows as Ending[];
}

async function markReminded(tx: TenantTransaction, rows: readonly Ending[], days: number): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('holder_mail_reminders')
    .values(rows.map(({ id, expires_at }) => ({ license_id: id, expires_at, days })))
    .onConflict((conflict) =>
      conflict.column('license_id').doUpdateSet({ expires_at: sql`excluded.expires_at`, days: sql`excluded.days` }),
    )
    .execute();
}
