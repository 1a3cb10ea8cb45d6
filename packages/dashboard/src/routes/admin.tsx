import { createFileRoute } from '@tanstack/react-router';
import { prefetchMe } from '../api/me.ts';
import { requireSession } from '../shell/require-session.ts';
import { SignedIn } from '../shell/SignedIn.tsx';

export const Route = createFileRoute('/admin')({
  beforeLoad: ({ context, location }) => {
    requireSession('admin', location.href);
    prefetchMe(context.queryClient, 'admin');
  },
  component: () => <SignedIn area="admin" />,
});
