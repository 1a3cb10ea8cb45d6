import { createFileRoute } from '@tanstack/react-router';
import { LoginScreen } from '../features/identity/LoginScreen.tsx';
import { loginSearch } from '../features/identity/search.ts';
import { skipLogin } from '../shell/require-session.ts';

export const Route = createFileRoute('/login')({
  validateSearch: loginSearch,
  beforeLoad: ({ location }) => skipLogin('tenant', loginSearch({ ...location.search }).next),
  component: () => <LoginScreen area="tenant" />,
});
