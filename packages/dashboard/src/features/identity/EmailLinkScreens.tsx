import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { confirmEmailChange, revertEmailChange, undoTwoFactor } from '../../api/identity.ts';
import { toProblem } from '../../api/problem.ts';
import { clearSession } from '../../api/session.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { AuthProblem, useSecondsLeft } from './AuthProblem.tsx';
import { useLinkToken } from './link-token.ts';
import { InvalidLink } from './Messages.tsx';

interface EmailLinkScreenProps {
  readonly title: string;
  /** What the button does, in one or two sentences. */
  readonly description: string;
  readonly submitLabel: string;
  /** Why the link does not work, and that nothing has changed. */
  readonly invalid: string;
  /** Sends the token and returns the address of the account. */
  readonly follow: (body: { readonly token: string }) => Promise<{ readonly email: string }>;
  /** What the link has changed: a title, and what comes before and after the address. */
  readonly done: { readonly title: string; readonly before: string; readonly after: string };
  /** Where the person goes on afterwards. */
  readonly next: ReactNode;
}

const openAccount = (
  <Button component={Link} to="/account" size="md">
    Open account
  </Button>
);

const backToLogin = (
  <Button component={Link} to="/login" size="md">
    Back to login
  </Button>
);

/** The page of a mailed link about an address. A button sends the token, because programs open links in mails too. */
function EmailLinkScreen(props: EmailLinkScreenProps) {
  const { title, description, submitLabel, invalid, follow, done, next } = props;
  const token = useLinkToken();
  const client = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (token: string) => follow({ token }),
    // What this browser has read of the account is no longer true.
    onSuccess: () => client.invalidateQueries(),
  });
  const problem = error === null ? null : toProblem(error);
  const secondsLeft = useSecondsLeft(problem);
  if (data !== undefined) {
    return (
      <CenteredPage title={done.title}>
        <Stack gap="md">
          <Text role="status">
            {done.before} <b style={{ overflowWrap: 'anywhere' }}>{data.email}</b>
            {done.after}
          </Text>
          {next}
        </Stack>
      </CenteredPage>
    );
  }
  if (token === null || problem?.code === 'AUTH.LINK_INVALID') {
    return (
      <CenteredPage title={title}>
        <Stack gap="md">
          <InvalidLink>{invalid}</InvalidLink>
          {openAccount}
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

/** Returns what sends a token of a link that has ended the session of this browser too. */
function endingSession(send: EmailLinkScreenProps['follow']): EmailLinkScreenProps['follow'] {
  return async (body) => {
    const account = await send(body);
    clearSession('tenant');
    return account;
  };
}

/** Confirms a new address with the link that was mailed to it. */
export function ChangeEmailScreen() {
  return (
    <EmailLinkScreen
      title="Confirm your new email"
      description="You then log in with the new address. Your sessions on other devices end."
      submitLabel="Confirm address"
      invalid="This link was already used, was replaced by a newer link, or has expired after 60 minutes. Your address has not changed. You can request the change again in your account."
      follow={confirmEmailChange}
      done={{ title: 'Your email was changed', before: 'You now log in with', after: '.' }}
      next={openAccount}
    />
  );
}

/** Undoes a change of the address with the link that was mailed to the old one. */
export function RevertEmailScreen() {
  return (
    <EmailLinkScreen
      title="Undo the change of your email"
      description="Your account keeps this address or gets it back. All your sessions end, your password stops working, and we send you a link to choose a new password."
      submitLabel="Undo change"
      invalid="This link was already used, was replaced by a newer link, or has expired after 7 days. Nothing has changed."
      follow={endingSession(revertEmailChange)}
      done={{
        title: 'The change was undone',
        before: 'Your account uses the address',
        after:
          '. Open the link that we sent to it to choose a new password. Then check the members, API keys and access tokens of your tenants.',
      }}
      next={backToLogin}
    />
  );
}

/** Undoes that two-factor authentication was turned on, with the link in the mail that says so. */
export function UndoTwoFactorScreen() {
  return (
    <EmailLinkScreen
      title="Undo two-factor authentication"
      description="Your account no longer requires a code. All your sessions end, your password stops working, and we send you a link to choose a new password."
      submitLabel="Turn off two-factor authentication"
      invalid="This link was already used, has expired after 7 days, or the address of the account has changed since. Nothing has changed. If you did not change the address, use the link in our mail about that change."
      follow={endingSession(undoTwoFactor)}
      done={{
        title: 'Two-factor authentication is off',
        before: 'We sent a link to choose a new password to',
        after: '. Then check the members, API keys and access tokens of your tenants.',
      }}
      next={backToLogin}
    />
  );
}
