import { createFileRoute } from '@tanstack/react-router';
import { DeliveryScreen } from '../../../features/webhooks/DeliveryScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/webhook-deliveries/$deliveryId')({
  component: DeliveryScreen,
});
