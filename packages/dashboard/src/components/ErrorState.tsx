import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { type Problem, toProblem } from '../api/problem.ts';
import { CircleAlert } from '../icons/icons.gen.ts';
import { SurfaceContext } from '../shell/surface-context.ts';
import { CopyableText } from './CopyableText.tsx';

interface ErrorStateProps {
  readonly problem: Problem;
  readonly onRetry?: () => void;
}

/** The reasons of refusals that a person can do something about, besides the service's own message. */
const explanations: Readonly<Record<string, string>> = {
  'AUTH.ROLE_REQUIRED': 'Your role does not allow this. An owner of the tenant can change your role under Members.',
  'BILLING.ROLE_REQUIRED': 'Your admin role does not allow this. A super admin can change your role under Admins.',
  'AUTH.EMAIL_UNVERIFIED': 'Open the link in the mail that we sent you, then try again.',
};

/** Says what failed and what to do, with the request id for support. */
export function ErrorState({ problem, onRetry }: ErrorStateProps) {
  const isAdmin = useContext(SurfaceContext)?.area === 'admin';
  // Two codes, one remedy for admins: their role is not the tenant's to change.
  const code = isAdmin && problem.code === 'AUTH.ROLE_REQUIRED' ? 'BILLING.ROLE_REQUIRED' : problem.code;
  const explanation = explanations[code];
  return (
    <Alert role="alert" color="red" variant="light" icon={<CircleAlert size={18} aria-hidden="true" />} p="md">
      <Stack gap="xs" align="flex-start" miw={0}>
        <Text c="var(--mantine-color-text)">{problem.message}</Text>
        {explanation !== undefined && (
          <Text size="sm" c="var(--mantine-color-text)">
            {explanation}
          </Text>
        )}
        {problem.requestId !== null && (
          <Group gap={4} c="dimmed">
            <Text size="xs">Request</Text>
            <CopyableText value={problem.requestId} label="request ID" size="xs" maxLength={19} />
          </Group>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

export interface QueryPlaceholderProps {
  readonly error: unknown;
  readonly refetch: () => unknown;
  /** Stands in for the data while it loads; numbers are the heights of skeletons. */
  readonly skeleton: ReactNode | readonly number[];
}

/** Stands in for data that is not loaded: a skeleton, or the problem of the query with a button to repeat it. */
export function QueryPlaceholder({ error, refetch, skeleton }: QueryPlaceholderProps) {
  if (error !== null) return <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />;
  if (typeof skeleton === 'number') return <Skeleton h={skeleton} />;
  if (!isHeights(skeleton)) return skeleton;
  return (
    <Stack gap="lg" aria-busy="true">
      {skeleton.map((height) => (
        <Skeleton key={height} h={height} />
      ))}
    </Stack>
  );
}

function isHeights(skeleton: QueryPlaceholderProps['skeleton']): skeleton is readonly number[] {
  return Array.isArray(skeleton);
}
