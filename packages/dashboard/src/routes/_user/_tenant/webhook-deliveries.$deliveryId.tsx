import { createFileRoute } from '@tanstack/react-router';
import { DeliveryScreen } from '../../../features/webhooks/DeliveryScreen.tsx';

export const Route = createFileRoute('/_user/_tenant/webhook-deliveries/$deliveryId')({
  component: DeliveryScreen,
});
