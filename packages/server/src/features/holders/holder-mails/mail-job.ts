import type { Job, WaitingJob } from '../../../jobs/job.ts';
import { sendDueMails } from '../../../mail/sending.ts';
import type { Services, TenantWorkServices } from '../../../services.ts';
import { findNextMail } from '../../tenant-core/holder-mail-queue/dispatch-service.ts';
import { holderMailJobKind, holderMailRepairJobKind } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import { DueHolderMails } from './due-mails.ts';

/** Maximum concurrent runs: those of tenants whose own servers hang must not delay the others. */
const slots = 32;

/** Creates the job that sends a tenant's queued mails to license holders. It is due when the tenant's next mail is. */
export function holderMailJob(services: Services): WaitingJob {
  return {
    kind: holderMailJobKind,
    daily: true,
    slots,
    outlastsCrashes: true,
    outlastsFailures: true,
    async runUnopened(run) {
      const queue = new DueHolderMails(services, run);
      try {
        return (await sendDueMails({ ...services, metrics: services.metrics.mail }, queue, run.signal)).nextAt;
      } finally {
        queue.close();
      }
    },
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
