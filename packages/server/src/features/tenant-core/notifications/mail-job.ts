import type { PlatformDb, TenantDb } from '../../../db/database.ts';
import { deleteRows } from '../../../db/rows.ts';
import type { Job, JobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { notificationsMail } from '../../../mail/templates/tenants.ts';
import type { MailServices } from '../../../services.ts';
import {
  assignMail,
  findDigest,
  findTenantName,
  lockMailNumber,
  readMail,
  readWaiting,
  recordDigest,
} from './mail-queries.ts';
import { notificationMailJobKind } from './service.ts';

interface Recipients {
  /** Reads the configured addresses; an empty list means the owners. */
  readonly readSettings: (db: TenantDb) => Promise<{ readonly notification_emails: readonly string[] }>;
  readonly listOwnerEmails: (platform: PlatformDb, tenantId: string) => Promise<readonly string[]>;
}

type DigestServices = MailServices & Recipients;

/** At most one mail an hour, except for urgent notifications, so that the mails are still read. */
const digestSeconds = 3600;
const listedMax = 20;

/**
 * Creates the job that mails notifications to the addresses of the tenant's settings, or to its owners if there are
 * none. Urgent notifications are mailed at once, with all pending ones; otherwise at most one mail is sent per hour.
 * Each mail has a number: the tenant's database marks the notifications of the mail with it, and the platform database
 * stores it with the queued mail. After a crash at any point, the mail is queued exactly once.
 */
export function notificationMailJob(services: DigestServices): Job {
  return { kind: notificationMailJobKind, daily: true, run: (run) => mailWaiting(services, run) };
}

async function mailWaiting(services: DigestServices, run: JobRun): Promise<Timestamp | null> {
  const waiting = await readWaiting(run.db.query);
  if (waiting.count === 0) return null;
  if (waiting.unfinished === null && !waiting.isUrgent) {
    const dueAt = await nextDigestAt(services, run.tenantId);
    if (dueAt > services.clock.now()) return dueAt;
  }
  const number = await startMail(run);
  if (number !== null) {
    await queueMail(services, run, number);
    await deleteRows(run.db.query, 'notification_mails', { mail_number: number });
  }
  return (await readWaiting(run.db.query)).count === 0 ? null : await nextDigestAt(services, run.tenantId);
}

async function nextDigestAt({ clock, platform }: DigestServices, tenantId: string): Promise<Timestamp> {
  const last = await findDigest(platform, tenantId);
  return last === undefined ? clock.now() : addSeconds(last.mailed_at, digestSeconds);
}

/** Returns the number of the unfinished mail, or of a new one; null if nothing is pending. */
async function startMail({ db }: JobRun): Promise<number | null> {
  return await db.transaction(async (tx) => {
    const last = await lockMailNumber(tx);
    const { unfinished, count } = await readWaiting(tx);
    if (unfinished !== null || count === 0) return unfinished;
    await assignMail(tx, last + 1);
    return last + 1;
  });
}

async function queueMail(services: DigestServices, { tenantId, db }: JobRun, number: number): Promise<void> {
  const { clock, config, mail, platform } = services;
  const { first, count } = await readMail(db, number, listedMax);
  // A concurrent run has finished this mail.
  if (first.length === 0) return;
  const { notification_emails } = await services.readSettings(db);
  const owners = await services.listOwnerEmails(platform, tenantId);
  const addresses = notification_emails.length > 0 ? notification_emails.map(foldEmail).sort() : owners;
  const content = {
    tenantName: await findTenantName(platform, tenantId),
    notifications: first,
    others: count - first.length,
    publicUrl: config.publicUrl,
  };
  await platform.transaction(async (tx) => {
    const row = { tenant_id: tenantId, last_number: number, mailed_at: clock.now() };
    if (!(await recordDigest(tx, row))) return;
    for (const to of addresses) {
      // The notifications stay in the dashboard if the address gets no mail about them.
      if (!owners.includes(to) && !(await mail.admit(tx, { kind: 'notification', to }))) continue;
      await mail.enqueue(tx, { ...notificationsMail({ to, ...content }), tenantId });
    }
  });
  mail.kick();
}
