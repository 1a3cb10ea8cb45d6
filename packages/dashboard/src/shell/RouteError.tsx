import type { ErrorComponentProps } from '@tanstack/react-router';
import { toProblem } from '../api/problem.ts';
import { ErrorState } from '../components/ErrorState.tsx';
import { CenteredPage } from './CenteredPage.tsx';

/** The page of a screen that failed. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <CenteredPage title="This page failed">
      <ErrorState problem={toProblem(error)} onRetry={reset} />
    </CenteredPage>
  );
}
