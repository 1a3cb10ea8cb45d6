import { createFileRoute } from '@tanstack/react-router';
import { AccessTokensScreen } from '../../../features/credentials/AccessTokensScreen.tsx';
import { accessTokenSearch } from '../../../features/credentials/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/access-tokens')({
  validateSearch: accessTokenSearch,
  component: AccessTokensScreen,
});
