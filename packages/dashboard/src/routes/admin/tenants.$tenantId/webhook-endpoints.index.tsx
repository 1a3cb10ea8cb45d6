import { createFileRoute } from '@tanstack/react-router';
import { webhooksSearch } from '../../../features/webhooks/search.ts';
import { WebhooksScreen } from '../../../features/webhooks/WebhooksScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/webhook-endpoints/')({
  validateSearch: webhooksSearch,
  component: WebhooksScreen,
});
