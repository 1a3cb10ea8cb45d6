import type { SubscriptionStatus, SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { ProviderInvoice } from '../../../payments/provider.ts';

/** What a subscription gives its tenant: nothing yet, its plan, its plan but suspended, or nothing any more. */
export type Access = 'none' | 'served' | 'suspended' | 'ended';

const endedStates: ReadonlySet<SubscriptionStatus> = new Set(['canceled', 'incomplete_expired']);
const overdueStates: ReadonlySet<SubscriptionStatus> = new Set(['past_due', 'unpaid']);

/** True for a subscription that will never be paid again. */
export function isEnded(status: SubscriptionStatus): boolean {
  return endedStates.has(status);
}

type Judged = Pick<SubscriptionsTable, 'status' | 'grace_ends_at'>;

/** What a subscription gives at a moment of the provider's clock. */
export function accessOf({ status, grace_ends_at }: Judged, now: Timestamp): Access {
  if (isEnded(status)) return 'ended';
  if (status === 'incomplete') return 'none';
  if (status === 'trialing' || status === 'active') return 'served';
  if (status === 'past_due' && grace_ends_at !== null && now < grace_ends_at) return 'served';
  return 'suspended';
}

/** Since when a payment is missing, and until when the tenant is served all the same. */
export interface Overdue {
  readonly past_due_since: Timestamp | null;
  readonly grace_ends_at: Timestamp | null;
}

interface OverdueQuestion {
  readonly status: SubscriptionStatus;
  readonly invoices: readonly ProviderInvoice[];
  /** What was known before. */
  readonly known: Timestamp | null;
  readonly now: Timestamp;
  readonly graceDays: number;
}

/**
 * The grace period counts from the first failure: the moment at which the oldest invoice that is still open, and was
 * tried, was due. It is read from the invoices, so that late, repeated and lost events lead to the same end.
 */
export function overdueOf({ status, invoices, known, now, graceDays }: OverdueQuestion): Overdue {
  if (!overdueStates.has(status)) return { past_due_since: null, grace_ends_at: null };
  const failures = invoices
    .filter((invoice) => invoice.status === 'open' && invoice.attemptCount > 0)
    .map((invoice) => invoice.finalizedAt ?? invoice.createdAt)
    .sort();
  const since = failures[0] ?? known ?? now;
  return { past_due_since: since, grace_ends_at: addDays(since, graceDays) };
}
