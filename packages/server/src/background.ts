import { accountDeletionJob, accountExportJob } from './features/accounts/account/account-job.ts';
import { listOwnerEmails } from './features/accounts/memberships/service.ts';
import { endAbandonedMoves } from './features/accounts/tenants/move-claim-service.ts';
import {
  billingSyncJob,
  dunningJob,
  invoiceSyncJob,
  reconciliationJob,
} from './features/commerce/billing/billing-job.ts';
import { refundJob } from './features/commerce/billing-admin/refund-job.ts';
import { couponJob } from './features/commerce/coupons/coupon-job.ts';
import { onboardingJob } from './features/commerce/onboarding/onboarding-job.ts';
import { holderMailJob, holderMailRepairJob } from './features/holders/holder-mails/mail-job.ts';
import { reminderJob } from './features/holders/holder-mails/reminder-job.ts';
import { portalLoginJob } from './features/holders/portal/login-job.ts';
import { leaseJob } from './features/licensing/activations/lease-job.ts';
import { bulkJob } from './features/licensing/bulk-operations/bulk-job.ts';
import { batchJob } from './features/licensing/license-batches/batch-job.ts';
import { expiredJob, expiringJob } from './features/licensing/licenses/expiring-job.ts';
import { importJob } from './features/licensing/licenses/import/import-job.ts';
import { revenueJob } from './features/operations/metrics/revenue-job.ts';
import { comparisonJob } from './features/sales/comparison/comparison-job.ts';
import { salesJob } from './features/sales/messages/sales-job.ts';
import { auditOutboxJob, createAuditOutboxSweep } from './features/tenant-core/audit-outbox/sweep.ts';
import { notificationMailJob } from './features/tenant-core/notifications/mail-job.ts';
import { recountJob } from './features/tenant-core/plan-limits/service.ts';
import { platformRetentionJobs, retentionJob } from './features/tenant-core/retention/retention-job.ts';
import { readSettings } from './features/tenant-core/settings/service.ts';
import { deliveryJob, deliveryRepairJob } from './features/webhooks/delivery/delivery-job.ts';
import type { AnyJob } from './jobs/job.ts';
import { createJobRunner, type JobRunner } from './jobs/runner.ts';
import { createJobSweep, type JobSweep } from './jobs/sweep.ts';
import { mailJob } from './mail/queue.ts';
import { platformRetention, retentionRules } from './retention-rules.ts';
import type { Services } from './services.ts';

const sweepIntervalMs = 60_000;
/** How long a stop waits for webhook endpoints. Unfinished deliveries are sent again after the next start. */
const stopGraceMs = 5000;

/** THE list of the background jobs, of tenants and of the platform. */
function allJobs(services: Services): AnyJob[] {
  return [
    leaseJob(services),
    salesJob(services),
    comparisonJob(services),
    bulkJob(services),
    batchJob(services),
    importJob(services),
    portalLoginJob(services),
    retentionJob({ clock: services.clock, rules: retentionRules, readSettings }),
    expiringJob(services),
    expiredJob(services),
    deliveryJob(services),
    deliveryRepairJob(services),
    reminderJob(services),
    holderMailJob(services),
    holderMailRepairJob(services),
    mailJob(services),
    notificationMailJob({ ...services, readSettings, listOwnerEmails }),
    auditOutboxJob(services),
    accountExportJob(services),
    accountDeletionJob(services),
    recountJob(services),
    onboardingJob(services),
    ...platformRetentionJobs(services, platformRetention),
    ...(services.sandbox?.jobs ?? []),
    revenueJob(services),
    billingSyncJob(services),
    couponJob(services),
    invoiceSyncJob(services),
    refundJob(services),
    dunningJob(services),
    reconciliationJob(services),
  ];
}

/** Creates the runner and the sweep of all background jobs, without starting them. */
export function createBackgroundJobs(services: Services): { readonly runner: JobRunner; readonly sweep: JobSweep } {
  const jobs = allJobs(services);
  return {
    runner: createJobRunner({ ...services, metrics: services.metrics.jobs, jobs }),
    sweep: createJobSweep({ ...services, jobs }),
  };
}

/** The background work of one process: jobs, and the sweeps that repair the effects of crashes and outages. */
export interface Background {
  /** Aborts the running work and resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts the background work: sweeps immediately and then every 60 s, jobs when they are due. */
export function startBackground(services: Services): Background {
  const { runner, sweep } = createBackgroundJobs(services);
  const auditOutbox = createAuditOutboxSweep(services);
  let running: Promise<unknown> = Promise.resolve();
  const sweepAll = () => {
    services.mail.kick();
    running = Promise.all([
      endAbandonedMoves(services).catch((error: unknown) => {
        services.logger.warn({ err: error }, 'abandoned-move check failed; retrying in 60 s');
      }),
      auditOutbox.sweepNext().catch((error: unknown) => {
        services.logger.warn({ err: error }, 'audit outbox sweep failed; retrying in 60 s');
      }),
      sweep.sweepNext().catch((error: unknown) => {
        services.logger.warn({ err: error }, 'job sweep failed; retrying in 60 s');
      }),
    ]);
  };
  sweepAll();
  const timer = setInterval(sweepAll, sweepIntervalMs);
  timer.unref();
  services.wakeUps.whenDue(() => runner.wake());
  runner.start();
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all([runner.stop(), running, services.webhookTraffic.stop(stopGraceMs)]);
    },
  };
}
