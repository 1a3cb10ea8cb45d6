import type { SubscriptionStatus, SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { ProviderInvoice } from '../../../payments/provider.ts';

/**
 * Access that a subscription gives its tenant. `none`: its first payment is missing; `served`: its plan; `suspended`:
 * its plan, but the tenant is suspended; `ended`: nothing.
 */
export type Access = 'none' | 'served' | 'suspended' | 'ended';

const endedStates: ReadonlySet<SubscriptionStatus> = new Set(['canceled', 'incomplete_expired']);
const overdueStates: ReadonlySet<SubscriptionStatus> = new Set(['past_due', 'unpaid']);

/** Returns true when the subscription has ended for good: the provider never charges it again. */
export function isEnded(status: SubscriptionStatus): boolean {
  return endedStates.has(status);
}

type Judged = Pick<SubscriptionsTable, 'status' | 'grace_ends_at'>;

/** Returns the access that a subscription gives at `now`, a time of the provider's clock. */
export function accessOf({ status, grace_ends_at }: Judged, now: Timestamp): Access {
  if (isEnded(status)) return 'ended';
  if (status === 'incomplete') return 'none';
  if (status === 'trialing' || status === 'active') return 'served';
  if (status === 'past_due' && grace_ends_at !== null && now < grace_ends_at) return 'served';
  return 'suspended';
}

/** The start of the missing payment and the end of the grace period; both null while nothing is overdue. */
export interface Overdue {
  readonly past_due_since: Timestamp | null;
  readonly grace_ends_at: Timestamp | null;
}

interface OverdueInput {
  readonly status: SubscriptionStatus;
  readonly invoices: readonly ProviderInvoice[];
  /** The stored `past_due_since`. */
  readonly known: Timestamp | null;
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  readonly graceDays: number;
}

/**
 * Returns when the missing payment began and when its grace period ends. The grace period starts when the oldest
 * invoice that is open, and that the provider has tried to collect, was finalized. The result is computed from the
 * invoices, so that late, repeated and lost events lead to the same grace period.
 */
export function overdueOf({ status, invoices, known, now, graceDays }: OverdueInput): Overdue {
  if (!overdueStates.has(status)) return { past_due_since: null, grace_ends_at: null };
  const failures = invoices
    .filter((invoice) => invoice.status === 'open' && invoice.attemptCount > 0)
    .map((invoice) => invoice.finalizedAt ?? invoice.createdAt)
    .sort();
  const since = failures[0] ?? known ?? now;
  return { past_due_since: since, grace_ends_at: addDays(since, graceDays) };
}
