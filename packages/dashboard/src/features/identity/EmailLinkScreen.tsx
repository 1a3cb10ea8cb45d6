import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toProblem } from '../../api/problem.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { AuthProblem, useSecondsLeft } from './AuthProblem.tsx';
import { InvalidLink } from './InvalidLink.tsx';
import { useLinkToken } from './link-token.ts';

interface EmailLinkScreenProps {
  readonly title: string;
  /** What the button does, in one or two sentences. */
  readonly description: string;
  readonly submitLabel: string;
  /** Why the link does not work, and that nothing has changed. */
  readonly invalid: string;
  /** Sends the token and returns the address of the account. */
  readonly follow: (token: string) => Promise<string>;
  /** What the person sees afterwards. */
  readonly done: (email: string) => ReactNode;
}

/** The page of a mailed link about an address. A button sends the token, because programs open links in mails too. */
export function EmailLinkScreen(props: EmailLinkScreenProps) {
  const { title, description, submitLabel, invalid, follow, done } = props;
  const token = useLinkToken();
  const client = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: follow,
    // What this browser has read of the account is no longer true.
    onSuccess: () => client.invalidateQueries(),
  });
  const problem = error === null ? null : toProblem(error);
  const secondsLeft = useSecondsLeft(problem);
  if (data !== undefined) return done(data);
  if (token === null || problem?.code === 'AUTH.LINK_INVALID') {
    return (
      <CenteredPage title={title}>
        <Stack gap="md">
          <InvalidLink>{invalid}</InvalidLink>
          <Button component={Link} to="/account" size="md">
            Open your account
          </Button>
        </Stack>
      </CenteredPage>
    );
  }
  return (
    <CenteredPage title={title} description={description}>
      <Stack gap="md">
        {problem !== null && <AuthProblem problem={problem} secondsLeft={secondsLeft} />}
        <Button size="md" loading={isPending} disabled={secondsLeft > 0} onClick={() => mutate(token)}>
          {submitLabel}
        </Button>
      </Stack>
    </CenteredPage>
  );
}

interface DoneProps {
  readonly title: string;
  readonly email: string;
  /** What comes before the address. */
  readonly before: string;
  /** What comes after the address. */
  readonly after: string;
  readonly next: ReactNode;
}

/** Says what a mailed link has changed. */
export function EmailLinkDone({ title, email, before, after, next }: DoneProps) {
  return (
    <CenteredPage title={title}>
      <Stack gap="md">
        <Text size="md" role="status">
          {before} <b style={{ overflowWrap: 'anywhere' }}>{email}</b>
          {after}
        </Text>
        {next}
      </Stack>
    </CenteredPage>
  );
}
