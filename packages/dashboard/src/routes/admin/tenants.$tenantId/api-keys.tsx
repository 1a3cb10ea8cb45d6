import { createFileRoute } from '@tanstack/react-router';
import { ApiKeysScreen } from '../../../features/api-keys/ApiKeysScreen.tsx';
import { apiKeySearch } from '../../../features/api-keys/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/api-keys')({
  validateSearch: apiKeySearch,
  component: ApiKeysScreen,
});
