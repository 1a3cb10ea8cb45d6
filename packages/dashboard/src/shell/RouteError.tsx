import { Alert, Button, Stack, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import { toProblem } from '../api/problem.ts';
import { ErrorState } from '../components/ErrorState.tsx';
import { AlertText } from '../components/Texts.tsx';
import { WifiOff } from '../icons/icons.gen.ts';
import { isLoadFailure, reloadIfReachable, reloadOnce } from '../lib/load-failure.ts';
import { CenteredPage } from './CenteredPage.tsx';
import { SurfaceContext } from './surface-context.ts';

/** The page of a screen that failed. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  if (isLoadFailure(error)) return <Unloaded />;
  return (
    <Frame title="Something went wrong">
      <ErrorState problem={toProblem(error)} onRetry={reset} />
    </Frame>
  );
}

/** Inside the application, its navigation stays. */
function Frame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const isInShell = useContext(SurfaceContext) !== null;
  if (!isInShell) return <CenteredPage title={title}>{children}</CenteredPage>;
  return (
    <Stack gap="lg" maw={560}>
      <Title order={1}>{title}</Title>
      {children}
    </Stack>
  );
}

/** The code of the screen did not arrive: there is no network, the service is away, or a new version is installed. */
function Unloaded() {
  const [isTrying, setTrying] = useState(false);
  useEffect(() => {
    const retry = () => void reloadOnce();
    retry();
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, []);
  const retry = async () => {
    setTrying(true);
    if (!(await reloadIfReachable())) setTrying(false);
  };
  return (
    <Frame title="This page could not be loaded">
      <Alert role="alert" color="yellow" icon={<WifiOff size={18} aria-hidden="true" />}>
        <Stack gap="sm" align="flex-start">
          <AlertText>
            {navigator.onLine ? 'The service cannot be reached.' : 'You are offline.'} This page opens when the
            connection is restored.
          </AlertText>
          <Button size="xs" variant="default" loading={isTrying} onClick={() => void retry()}>
            Try again
          </Button>
        </Stack>
      </Alert>
    </Frame>
  );
}
