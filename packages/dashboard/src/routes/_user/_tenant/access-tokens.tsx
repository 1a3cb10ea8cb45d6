import { createFileRoute } from '@tanstack/react-router';
import { AccessTokensScreen } from '../../../features/credentials/AccessTokensScreen.tsx';
import { accessTokenSearch } from '../../../features/credentials/search.ts';

export const Route = createFileRoute('/_user/_tenant/access-tokens')({
  validateSearch: accessTokenSearch,
  component: AccessTokensScreen,
});
