import '@mantine/notifications/styles.css';
import { Box, Skeleton, Stack } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { createContext, useContext, useEffect } from 'react';
import { type Me, meQuery } from '../api/me.ts';
import { toProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { type Area, useSession } from '../api/session.ts';
import { ErrorState } from '../components/ErrorState.tsx';
import { CenteredPage } from './CenteredPage.tsx';
import { RouteError } from './RouteError.tsx';
import { loginPath } from './require-session.ts';

// Part of this chunk, so that the page of a failed load can be shown without a network.
void RouteError;

const MeContext = createContext<Me | null>(null);

/** Returns the current user. Throws outside the pages that need a login. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('useMe works only inside SignedIn.');
  return me;
}

/** Renders its routes for the current user. When the session ends, in any tab, the login page follows. */
export function SignedIn({ area }: { readonly area: Area }) {
  const session = useSession(area);
  const router = useRouter();
  const { data, error, refetch } = useQuery({ ...meQuery(area), enabled: session !== null });
  useEffect(() => {
    if (session !== null) return;
    // Nothing that the person has read may stay readable in this tab.
    queryClient.clear();
    // Read here and not as state: the navigation below changes it, and must not start another one.
    const next = router.state.location.href;
    void router.navigate({ to: loginPath(area), search: { next }, replace: true });
  }, [area, router, session]);
  if (session === null) return null;
  if (data !== undefined) {
    return (
      <MeContext value={data}>
        <Notifications position="bottom-right" limit={3} autoClose={5_000} />
        <Outlet />
      </MeContext>
    );
  }
  if (error === null) return <ShellSkeleton />;
  return (
    <CenteredPage title="The dashboard could not be opened">
      <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
    </CenteredPage>
  );
}

/** The shape of the shell while the first request runs. */
function ShellSkeleton() {
  return (
    <Box p="xl" role="status" aria-label="Loading" maw={1200} ml={{ base: 0, sm: 240 }}>
      <Stack gap="lg">
        <Skeleton h={28} w={180} />
        <Skeleton h={180} />
        <Skeleton h={320} />
      </Stack>
    </Box>
  );
}
