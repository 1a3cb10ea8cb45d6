import { Alert, Group, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import { CircleAlert } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';

/** Loaded for the rare failure that shows it, because the first screen must be small. */
const CopyableText = lazy(async () => ({ default: (await import('../../components/CopyableText.tsx')).CopyableText }));

const secondMs = 1_000;

/** Returns the whole seconds until a throttled request can succeed again, and renders again every second. */
export function useSecondsLeft(problem: Problem | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const end = Date.now() + (problem?.retryAfterSeconds ?? 0) * secondMs;
    const update = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / secondMs)));
    update();
    if (end <= Date.now()) return undefined;
    const timer = setInterval(update, secondMs);
    return () => clearInterval(timer);
  }, [problem]);
  return left;
}

function duration(seconds: number): string {
  return seconds > 90 ? count(Math.ceil(seconds / 60), 'minute') : count(seconds, 'second');
}

function explain(problem: Problem, secondsLeft: number, isLogin: boolean): string {
  const wait = secondsLeft > 0 ? `Try again in ${duration(secondsLeft)}.` : 'You can try again now.';
  switch (problem.code) {
    case 'AUTH.INVALID_CREDENTIALS':
      return isLogin
        ? 'The email address or password is incorrect. Check both and try again.'
        : 'The password is incorrect.';
    case 'AUTH.TWO_FACTOR_INVALID':
      return 'The code is incorrect or was already used. Wait for the next code in your app, or use a recovery code.';
    case 'AUTH.LOCKED_OUT':
      return `This account is locked for your network because too many attempts failed. ${wait}`;
    case 'RATE_LIMIT.EXCEEDED':
      return `Too many attempts came from your network. ${wait}`;
    default:
      return problem.message;
  }
}

interface AuthProblemProps {
  readonly problem: Problem;
  readonly secondsLeft?: number;
  /** Whether the person is logging in, and not logged in already. */
  readonly isLogin?: boolean;
  /** What the person can do instead. */
  readonly children?: ReactNode;
}

/** Says why a login or a similar step was refused, and when it can be tried again. */
export function AuthProblem({ problem, secondsLeft = 0, isLogin = true, children }: AuthProblemProps) {
  const isUnexpected = problem.status === 0 || problem.status >= 500;
  return (
    <Alert role="alert" color="red" variant="light" icon={<CircleAlert size={18} aria-hidden="true" />} p="sm">
      <Text c="var(--mantine-color-text)" component="div">
        {explain(problem, secondsLeft, isLogin)}
        {children !== undefined && <> {children}</>}
      </Text>
      {isUnexpected && problem.requestId !== null && (
        <Group gap={4} c="dimmed" mt={4}>
          <Text size="xs">Request</Text>
          <Suspense>
            <CopyableText value={problem.requestId} label="request ID" size="xs" maxLength={20} />
          </Suspense>
        </Group>
      )}
    </Alert>
  );
}
