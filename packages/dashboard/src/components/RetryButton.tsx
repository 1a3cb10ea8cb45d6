import { Button, Tooltip } from '@mantine/core';
import { RotateCw } from '../icons/icons.gen.ts';
import { showProblem, useAction } from './use-action.ts';

interface RetryButtonProps {
  /** The object: "the mail to ada@acme.example". */
  readonly name: string;
  readonly run: () => Promise<unknown>;
  /** Query-key prefixes to invalidate. */
  readonly invalidates: readonly (readonly unknown[])[];
  readonly success: string;
  /** Why the service would refuse the retry; absent when it would not. */
  readonly refusal?: string;
}

/** The button in the row of something that the service gave up on. */
export function RetryButton({ name, run, invalidates, success, refusal }: RetryButtonProps) {
  const retry = useAction({ run, invalidates, success });
  const isRefused = refusal !== undefined;
  const button = (
    <Button
      size="xs"
      variant="default"
      leftSection={<RotateCw size={13} aria-hidden="true" />}
      loading={retry.isPending}
      aria-label={`Retry ${name}`}
      onClick={() => (isRefused ? undefined : retry.mutate(undefined, { onError: showProblem }))}
      // A disabled button cannot get the focus that shows the reason.
      {...(isRefused && { 'data-disabled': true, 'aria-disabled': true })}
    >
      Retry
    </Button>
  );
  return isRefused ? <Tooltip label={refusal}>{button}</Tooltip> : button;
}
