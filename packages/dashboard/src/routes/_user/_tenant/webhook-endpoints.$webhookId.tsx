import { createFileRoute } from '@tanstack/react-router';
import { webhookSearch } from '../../../features/webhooks/search.ts';
import { WebhookScreen } from '../../../features/webhooks/WebhookScreen.tsx';

export const Route = createFileRoute('/_user/_tenant/webhook-endpoints/$webhookId')({
  validateSearch: webhookSearch,
  component: WebhookScreen,
});
