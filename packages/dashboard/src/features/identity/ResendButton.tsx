import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { resendVerification } from '../../api/identity.ts';
import { toProblem } from '../../api/problem.ts';
import { AuthProblem, useSecondsLeft } from './AuthProblem.tsx';

/** Mails the current user a new link. */
export function ResendButton({ email }: { readonly email: string }) {
  const resend = useMutation({ mutationFn: () => resendVerification() });
  const problem = resend.error === null ? null : toProblem(resend.error);
  const secondsLeft = useSecondsLeft(problem);
  return (
    <Stack gap="sm" w="100%">
      <Button
        size="md"
        variant="default"
        fullWidth
        onClick={() => resend.mutate()}
        loading={resend.isPending}
        disabled={secondsLeft > 0}
      >
        Send new link
      </Button>
      <div role="status">
        {resend.isSuccess && (
          <Text size="sm">{`We sent a new link to ${email}. The previous link no longer works.`}</Text>
        )}
      </div>
      {problem !== null && <AuthProblem problem={problem} secondsLeft={secondsLeft} />}
    </Stack>
  );
}
