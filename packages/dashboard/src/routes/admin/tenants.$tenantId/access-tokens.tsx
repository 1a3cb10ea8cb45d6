import { createFileRoute } from '@tanstack/react-router';
import { AccessTokensScreen } from '../../../features/access-tokens/AccessTokensScreen.tsx';
import { accessTokenSearch } from '../../../features/access-tokens/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/access-tokens')({
  validateSearch: accessTokenSearch,
  component: AccessTokensScreen,
});
