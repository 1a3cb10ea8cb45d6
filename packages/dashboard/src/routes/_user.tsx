import { createFileRoute } from '@tanstack/react-router';
import { prefetchMe } from '../api/me.ts';
import { requireSession } from '../shell/require-session.ts';
import { SignedIn } from '../shell/SignedIn.tsx';

export const Route = createFileRoute('/_user')({
  beforeLoad: ({ context, location }) => {
    requireSession('tenant', location.href);
    prefetchMe(context.queryClient, 'tenant');
  },
  component: () => <SignedIn area="tenant" />,
});
