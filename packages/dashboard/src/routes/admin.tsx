import { createFileRoute } from '@tanstack/react-router';
import { requireSession } from '../shell/require-session.ts';
import { SignedIn } from '../shell/SignedIn.tsx';

export const Route = createFileRoute('/admin')({
  beforeLoad: ({ location }) => requireSession('admin', location.href),
  component: () => <SignedIn area="admin" />,
});
