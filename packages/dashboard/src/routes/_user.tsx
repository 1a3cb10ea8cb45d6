import { createFileRoute } from '@tanstack/react-router';
import { requireSession } from '../shell/require-session.ts';
import { SignedIn } from '../shell/SignedIn.tsx';

export const Route = createFileRoute('/_user')({
  beforeLoad: ({ location }) => requireSession('tenant', location.href),
  component: () => <SignedIn area="tenant" />,
});
