import type { ProviderSubscription } from '../../../payments/provider.ts';

/** Returns the columns of a subscription's pending plan change; all are null when there is none. */
export function pendingColumns(pending: ProviderSubscription['pendingChange']) {
  const { planCode = null, interval = null, amount = null, at = null } = pending ?? {};
  return { pending_plan_code: planCode, pending_interval: interval, pending_amount: amount, pending_at: at };
}
