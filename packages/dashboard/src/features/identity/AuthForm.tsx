import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../../api/problem.ts';
import type { ResourceForm } from '../../components/use-resource-form.ts';
import { AuthProblem, useSecondsLeft } from './AuthProblem.tsx';

interface AuthFormProps {
  // The frame needs nothing of the values.
  readonly resource: Pick<ResourceForm<never>, 'problem' | 'isSaving' | 'onSubmit'>;
  readonly submitLabel: string;
  readonly children: ReactNode;
  /** What the person can do about a problem, such as a link to another page. */
  readonly help?: (problem: Problem) => ReactNode;
}

/** The frame of a form of a person without a session: its fields, why it was refused, and one wide button. */
export function AuthForm({ resource, submitLabel, children, help }: AuthFormProps) {
  const { problem, isSaving, onSubmit } = resource;
  const secondsLeft = useSecondsLeft(problem);
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        {problem !== null && (
          <AuthProblem problem={problem} secondsLeft={secondsLeft}>
            {help?.(problem)}
          </AuthProblem>
        )}
        {children}
        <Button type="submit" size="md" fullWidth loading={isSaving} disabled={secondsLeft > 0}>
          {submitLabel}
        </Button>
      </Stack>
    </form>
  );
}
