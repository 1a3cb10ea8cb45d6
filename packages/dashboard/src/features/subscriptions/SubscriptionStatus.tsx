import { StatusBadge } from '../../components/StatusBadge.tsx';
import { formatDate } from '../../lib/time.ts';

interface SubscriptionStatusProps {
  readonly subscription: {
    readonly status: string;
    readonly cancel_at_period_end: boolean;
    readonly current_period_ends_at: string;
  };
}

/** The status of a subscription. A cancelled one that still runs says when it ends, and is not green. */
export function SubscriptionStatus({ subscription }: SubscriptionStatusProps) {
  const { status, cancel_at_period_end: isCancelled, current_period_ends_at: endsAt } = subscription;
  if (isCancelled && (status === 'active' || status === 'trialing')) {
    return <StatusBadge status="canceled" tone="warning" label={`Ends ${formatDate(endsAt)}`} />;
  }
  return <StatusBadge status={status} />;
}
