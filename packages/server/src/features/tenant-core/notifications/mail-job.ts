import type { PlatformDb, TenantDb } from '../../../db/database.ts';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { notificationsMail } from '../../../mail/templates/notifications.ts';
import type { Services } from '../../../services.ts';
import {
  beginMail,
  endMail,
  findDigest,
  findTenantName,
  lockMailNumber,
  readMail,
  readWaiting,
  recordDigest,
} from './mail-queries.ts';
import { notificationMailJobKind } from './notification.ts';

interface Recipients {
  /** The addresses of the tenant's settings; empty when the owners are the recipients. */
  readonly readSettings: (db: TenantDb) => Promise<{ readonly notification_emails: readonly string[] }>;
  readonly listOwnerEmails: (platform: PlatformDb, tenantId: string) => Promise<readonly string[]>;
}

type MailServices = Pick<Services, 'clock' | 'config' | 'mail' | 'platform'> & Recipients;

/** Whoever gets a mail an hour reads it; what cannot wait does not. */
const digestSeconds = 3600;
const listedMost = 20;

/**
 * Mails notifications to the addresses of the tenant's settings, else to its owners: what is urgent at once, and what
 * came with it; the rest at most once an hour. Each mail has a number, under which its notifications are gathered in
 * the tenant's database and which the platform keeps with the queued mail: after a crash anywhere in between it is
 * queued once.
 */
export function notificationMailJob(services: MailServices): Job {
  return { kind: notificationMailJobKind, daily: true, run: (run) => mailWaiting(services, run) };
}

async function mailWaiting(services: MailServices, run: JobRun): Promise<Timestamp | null> {
  const waiting = await readWaiting(run.db.query);
  if (waiting.count === 0) return null;
  if (waiting.begun === null && !waiting.isUrgent) {
    const dueAt = await nextDigestAt(services, run.tenantId);
    if (dueAt > services.clock.now()) return dueAt;
  }
  const number = await begin(run);
  if (number !== null) {
    await queueMail(services, run, number);
    await endMail(run.db, number);
  }
  return (await readWaiting(run.db.query)).count === 0 ? null : await nextDigestAt(services, run.tenantId);
}

async function nextDigestAt({ clock, platform }: MailServices, tenantId: string): Promise<Timestamp> {
  const last = await findDigest(platform, tenantId);
  return last === undefined ? clock.now() : addSeconds(last.mailed_at, digestSeconds);
}

/** The mail that was begun and not ended, or a new one; null when nothing waits any more. */
async function begin({ db }: JobRun): Promise<number | null> {
  return await db.transaction(async (tx) => {
    const last = await lockMailNumber(tx);
    const { begun, count } = await readWaiting(tx);
    if (begun !== null || count === 0) return begun;
    await beginMail(tx, last + 1);
    return last + 1;
  });
}

async function queueMail(services: MailServices, { tenantId, db }: JobRun, number: number): Promise<void> {
  const { clock, config, mail, platform } = services;
  const { first, count } = await readMail(db, number, listedMost);
  // Another run has ended it.
  if (first.length === 0) return;
  const { notification_emails } = await services.readSettings(db);
  const addresses =
    notification_emails.length > 0 ? notification_emails : await services.listOwnerEmails(platform, tenantId);
  const content = {
    tenantName: await findTenantName(platform, tenantId),
    notifications: first,
    others: count - first.length,
    publicUrl: config.publicUrl,
  };
  await platform.transaction(async (tx) => {
    const row = { tenant_id: tenantId, last_number: number, mailed_at: clock.now() };
    if (!(await recordDigest(tx, row))) return;
    for (const to of addresses) await mail.enqueue(tx, notificationsMail({ to, ...content }));
  });
  mail.kick();
}
