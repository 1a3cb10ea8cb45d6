import { createFileRoute } from '@tanstack/react-router';
import { ApiKeysScreen } from '../../../features/api-keys/ApiKeysScreen.tsx';
import { apiKeySearch } from '../../../features/api-keys/search.ts';

export const Route = createFileRoute('/_user/_tenant/api-keys')({
  validateSearch: apiKeySearch,
  component: ApiKeysScreen,
});
