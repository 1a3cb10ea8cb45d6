import type { Job, WaitingJob } from '../../../jobs/job.ts';
import type { Services, TenantWorkServices } from '../../../services.ts';
import { findNextMail } from '../../tenant-core/holder-mails/dispatch-service.ts';
import { holderMailJobKind, holderMailRepairJobKind } from '../../tenant-core/holder-mails/holder-mail.ts';
import { MailRun } from './mail-run.ts';

/** Maximum concurrent runs: those of tenants whose own servers hang must not delay the others. */
const slots = 32;

/**
 * Creates the job that sends a tenant's queued mails to license holders. It is due when the tenant's next mail is. Each
 * mail is sent at least once. If the process dies between the server's reply and its record, the mail is sent again under
 * the same Message-ID, by which a mail program recognises the copy; SMTP has no means to exclude it.
 */
export function holderMailJob(services: Services): WaitingJob {
  return {
    kind: holderMailJobKind,
    daily: true,
    slots,
    outlastsCrashes: true,
    outlastsFailures: true,
    runUnopened: (run) => new MailRun(services, run).run(),
  };
}

/**
 * Creates the job that finds queued mails without a wake-up, which exist if a process dies right after a commit. Every
 * transaction that queues mails schedules this job before its commit, to run a minute later.
 */
export function holderMailRepairJob({ wakeUps }: TenantWorkServices): Job {
  return {
    kind: holderMailRepairJobKind,
    daily: false,
    outlastsCrashes: true,
    async run({ tenantId, db }) {
      const dueAt = await findNextMail(db);
      if (dueAt !== null) wakeUps.scheduleAfterCommit(tenantId, holderMailJobKind, dueAt);
      return null;
    },
  };
}
