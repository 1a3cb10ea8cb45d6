import { createFileRoute } from '@tanstack/react-router';
import { LoginScreen } from '../features/identity/LoginScreen.tsx';
import { searchOf, text } from '../lib/search.ts';

export const Route = createFileRoute('/admin_/login')({
  validateSearch: searchOf({ next: text }),
  component: () => <LoginScreen area="admin" next={Route.useSearch().next} />,
});
