import { createFileRoute } from '@tanstack/react-router';
import { LoginScreen } from '../features/identity/LoginScreen.tsx';
import { searchOf, text } from '../lib/search.ts';

export const Route = createFileRoute('/login')({
  validateSearch: searchOf({ next: text }),
  component: () => <LoginScreen area="tenant" next={Route.useSearch().next} />,
});
