import '../styles/rest.css';
import '@mantine/notifications/styles.layer.css';
import { Box, Skeleton, Stack } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { createContext, lazy, Suspense, useContext, useDeferredValue, useEffect, useState } from 'react';
import { type Me, meQuery } from '../api/me.ts';
import { toProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { type Area, clearSession, hasExpired, useSession } from '../api/session.ts';
import { ErrorState } from '../components/ErrorState.tsx';
import { hasUnsavedInput } from '../components/unsaved-input.ts';
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

const LogInAgain = lazy(() => import('../features/identity/LogInAgain.tsx'));

/**
 * Renders its routes for the current user. When the session ends, in any tab, the login page follows; if the service ended
 * it while a form holds unsaved input, the person logs in over the page.
 */
function SignedIn({ area }: { readonly area: Area }) {
  const session = useSession(area);
  const router = useRouter();
  const [hasLeft, setLeft] = useState(false);
  const keepsPage = session === null && !hasLeft && hasExpired(area) && hasUnsavedInput();
  const { data: me, error, refetch } = useQuery({ ...meQuery(area), enabled: session !== null });
  // The first rendering of a whole screen is long; deferred, React pauses for input meanwhile, even if the user is known.
  const data = useDeferredValue(me ?? null, null);
  useEffect(() => {
    if (session !== null || keepsPage) return;
    // Nothing that the person has read may stay readable in this tab.
    queryClient.clear();
    // Read here and not as state: the navigation below changes it, and must not start another one.
    const next = router.state.location.href;
    void router.navigate({ to: loginPath(area), search: { next }, replace: true, ignoreBlocker: true });
  }, [area, keepsPage, router, session]);
  if (session === null && !keepsPage) return null;
  if (data !== null) {
    const leave = () => {
      clearSession(area);
      setLeft(true);
    };
    return (
      <MeContext value={data}>
        <Notifications position="top-center" limit={3} autoClose={5_000} />
        <Outlet />
        {keepsPage && (
          <Suspense>
            <LogInAgain
              area={area}
              onLeave={leave}
              onLoggedIn={(login) => (personOf(login) === personOf(data) ? undefined : window.location.assign('/'))}
            />
          </Suspense>
        )}
      </MeContext>
    );
  }
  if (error === null) return <ShellSkeleton />;
  return (
    <CenteredPage title="The dashboard could not be loaded">
      <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
    </CenteredPage>
  );
}

/** The pages of a tenant user. */
export const SignedInUser = () => <SignedIn area="tenant" />;

/** The pages of an admin. */
export const SignedInAdmin = () => <SignedIn area="admin" />;

/** Returns the id of the person, to notice when somebody else logs in. */
function personOf({ user, admin }: Pick<Me, 'user' | 'admin'>): string | undefined {
  return user?.id ?? admin?.id;
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
