import type { PlatformTransaction } from '../../../db/database.ts';
import { platformSubject } from '../../../jobs/job.ts';
import { enqueueJob } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { PaymentProviderError } from '../../../payments/provider.ts';
import type { TenantWorkServices } from '../../../services.ts';
import { listUnendedSubscriptions } from './queries.ts';

// Every function enqueues in the caller's transaction. Callers call `wakeUps.wakeRunner` after the commit.

/** Job kind: syncs a subscription and its invoices. The subject is the subscription's id at the provider. */
export const billingSyncKind = 'billing-sync';

/** Job kind: syncs an invoice. The subject is its id at the provider. */
export const invoiceSyncKind = 'invoice-sync';

/** Job kind: completes a refund that was requested. The subject is the refund's id. */
export const refundKind = 'invoice-refund';

/**
 * Job kind: enqueues a sync for each subscription when its period, trial or stage of the grace period has ended by the
 * provider's clock. The subject is `platformSubject`.
 */
export const dunningKind = 'dunning';

/** Enqueues a sync of a subscription, by its id at the provider. */
export async function enqueueBillingSync(
  tx: PlatformTransaction,
  providerSubscriptionId: string,
  at: Timestamp,
): Promise<void> {
  await enqueueJob(tx, { subjectId: providerSubscriptionId, kind: billingSyncKind, dueAt: at }, at);
}

/** Enqueues a sync of an invoice, by its id at the provider. */
export async function enqueueInvoiceSync(
  tx: PlatformTransaction,
  providerInvoiceId: string,
  at: Timestamp,
): Promise<void> {
  await enqueueJob(tx, { subjectId: providerInvoiceId, kind: invoiceSyncKind, dueAt: at }, at);
}

/** Enqueues the completion of a refund at `dueAt`. It does nothing when the request itself has completed it. */
export async function enqueueRefund(
  tx: PlatformTransaction,
  refundId: string,
  at: Timestamp,
  dueAt = at,
): Promise<void> {
  await enqueueJob(tx, { subjectId: refundId, kind: refundKind, dueAt }, at);
}

/** Enqueues a check for due subscriptions at `dueAt`, which is by the service's clock. */
export async function enqueueDunning(tx: PlatformTransaction, at: Timestamp, dueAt = at): Promise<void> {
  await enqueueJob(tx, { subjectId: platformSubject, kind: dunningKind, dueAt }, at);
}

/**
 * Enqueues a sync of each subscription of a closed tenant that has not ended. The sync cancels it at the provider,
 * which must not be called within a transaction.
 */
export async function enqueueSyncOfClosedTenant(
  tx: PlatformTransaction,
  tenantId: string,
  at: Timestamp,
): Promise<void> {
  for (const providerSubscriptionId of await listUnendedSubscriptions(tx, tenantId)) {
    await enqueueBillingSync(tx, providerSubscriptionId, at);
  }
}

const outageRetrySeconds = 300;

/**
 * Runs work of a job that queries the provider, and returns when the job is due again. While the provider is
 * unavailable, the work is retried without a limit.
 */
export async function retryWhileUnavailable(
  { clock, logger }: TenantWorkServices,
  work: () => Promise<Timestamp | null>,
): Promise<Timestamp | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PaymentProviderError) || error.reason !== 'unavailable') throw error;
    logger.warn({ err: error }, `the payment provider is unavailable; retrying in ${outageRetrySeconds} s`);
    return addSeconds(clock.now(), outageRetrySeconds);
  }
}
