import { createFileRoute } from '@tanstack/react-router';
import { ApiKeysScreen } from '../../../features/credentials/ApiKeysScreen.tsx';
import { apiKeySearch } from '../../../features/credentials/search.ts';

export const Route = createFileRoute('/_user/_tenant/api-keys')({
  validateSearch: apiKeySearch,
  component: ApiKeysScreen,
});
