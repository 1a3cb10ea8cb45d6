import type { WebhookDeliverySummary } from '../../api/webhooks.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';

interface DeliveryStatusProps {
  readonly delivery: Pick<WebhookDeliverySummary, 'status'>;
  readonly hasAttempts: boolean;
}

/** The status of a delivery; one that waits for a further attempt is "Retrying". */
export function DeliveryStatus({ delivery, hasAttempts }: DeliveryStatusProps) {
  const isRetrying = delivery.status === 'pending' && hasAttempts;
  return <StatusBadge status={isRetrying ? 'retrying' : delivery.status} />;
}
