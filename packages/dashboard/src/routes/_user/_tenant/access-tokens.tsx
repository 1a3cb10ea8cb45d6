import { createFileRoute } from '@tanstack/react-router';
import { AccessTokensScreen } from '../../../features/access-tokens/AccessTokensScreen.tsx';
import { accessTokenSearch } from '../../../features/access-tokens/search.ts';

export const Route = createFileRoute('/_user/_tenant/access-tokens')({
  validateSearch: accessTokenSearch,
  component: AccessTokensScreen,
});
