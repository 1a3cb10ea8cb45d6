import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { showProblem } from './use-action.ts';

interface RunButtonProps extends Omit<ButtonProps, 'loading'> {
  /** From `useAction`; it needs no input. */
  readonly action: {
    readonly isPending: boolean;
    readonly mutate: (input: undefined, options: { readonly onError: (error: unknown) => void }) => void;
  };
  readonly children: ReactNode;
}

/** A button that runs an action at once. A failure appears as a notification. */
export function RunButton({ action, ...props }: RunButtonProps) {
  const run = () => action.mutate(undefined, { onError: showProblem });
  return <Button loading={action.isPending} onClick={run} {...props} />;
}
