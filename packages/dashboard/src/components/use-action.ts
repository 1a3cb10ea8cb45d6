import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toProblem } from '../api/problem.ts';

interface ActionOptions<Input, Result> {
  readonly run: (input: Input) => Promise<Result>;
  /** Query-key prefixes to invalidate. */
  readonly invalidates: readonly (readonly unknown[])[];
  /** What to say afterwards, if the change itself is not visible. */
  readonly success?: string;
}

/** Shows a problem of an action that has no place on the screen. */
export function showProblem(error: unknown): void {
  const { message } = toProblem(error);
  notifications.show({ color: 'red', title: 'Something went wrong', message, role: 'alert', autoClose: 10_000 });
}

/** Returns an action on the server. It refreshes what it changed. The caller shows a failure: from `error`, or with `showProblem`. */
export function useAction<Input = void, Result = unknown>({ run, invalidates, success }: ActionOptions<Input, Result>) {
  const client = useQueryClient();
  return useMutation({
    // The library passes more than the input.
    mutationFn: (input: Input) => run(input),
    onSuccess: async () => {
      if (success !== undefined) notifications.show({ message: success, role: 'status' });
      await Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}
