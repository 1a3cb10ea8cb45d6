import { Anchor, Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery } from '../../api/account.ts';
import { type Credentials, logIn, verifyEmail } from '../../api/identity.ts';
import { toProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { logOut } from '../../shell/log-out.ts';
import { AuthProblem } from './AuthProblem.tsx';
import { CodeForm } from './CodeForm.tsx';
import { LoginForm, UserFooter } from './LoginScreen.tsx';
import { useLinkToken } from './link-token.ts';
import { CheckMail, InvalidLink, Verified } from './Messages.tsx';
import { ResendButton } from './ResendButton.tsx';

/** Verifies the current user's address, or says that a mail with the link is on its way. */
export default function VerifyEmailScreen() {
  const token = useLinkToken();
  const session = useSession('tenant');
  if (session === null) return <LogInFirst hasLink={token !== null} />;
  return token === null ? <WaitingForMail /> : <Verification key={session.expiresAt} token={token} />;
}

/** A link works only for its person, so the person logs in first. The link stays in the URL meanwhile. */
function LogInFirst({ hasLink }: { readonly hasLink: boolean }) {
  const [credentials, setCredentials] = useState<Credentials | null>(null);
  const nothing = () => undefined;
  return (
    <CenteredPage
      title="Verify your email address"
      description={hasLink ? 'Log in to confirm that this address is yours.' : 'Log in to get a new link.'}
      footer={<UserFooter />}
    >
      {credentials === null ? (
        <LoginForm
          area="tenant"
          submitLabel={hasLink ? 'Log in and verify' : 'Log in'}
          onLoggedIn={nothing}
          onCodeNeeded={setCredentials}
        />
      ) : (
        <CodeForm submit={(code) => logIn('tenant', { ...credentials, code })} onLoggedIn={nothing} />
      )}
    </CenteredPage>
  );
}

function Verification({ token }: { readonly token: string }) {
  const account = useQuery(accountQuery());
  const { status, error } = useQuery({
    queryKey: ['tenant', null, 'verify-email', token],
    async queryFn() {
      await verifyEmail({ token });
      await queryClient.invalidateQueries({ queryKey: ['tenant', null] as const, predicate: isAboutPerson });
      return true;
    },
    // The link works once.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (status === 'success' || (account.data && account.data.email_verified_at !== null)) return <Verified />;
  if (status === 'pending' || account.data === undefined) {
    return (
      <CenteredPage title="Verify your email address">
        <Skeleton h={44} />
      </CenteredPage>
    );
  }
  const problem = toProblem(error);
  return (
    <CenteredPage title="Verify your email address">
      <Stack gap="md">
        {problem.code === 'AUTH.LINK_INVALID' ? (
          <InvalidLink>
            This link was already used, was replaced by a newer link, has expired after 60 minutes, or was sent to a
            person other than <b>{account.data.email}</b>, who is logged in here.
          </InvalidLink>
        ) : (
          <AuthProblem problem={problem} />
        )}
        <ResendButton email={account.data.email} />
        <Button variant="default" size="md" onClick={() => void logOut('tenant')}>
          Log in as someone else
        </Button>
      </Stack>
    </CenteredPage>
  );
}

function isAboutPerson({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[2] === 'me' || queryKey[2] === 'account';
}

const pollIntervalMs = 3_000;

/** Waits for the person to open the mailed link, in this browser or on another device. */
function WaitingForMail() {
  const { data, error } = useQuery({
    ...accountQuery(),
    refetchInterval: ({ state }) => (state.data?.email_verified_at === null ? pollIntervalMs : false),
  });
  if (data && data.email_verified_at !== null) return <Verified />;
  return (
    <CenteredPage
      title="Check your email"
      footer={
        <>
          Wrong address?{' '}
          <Anchor component="button" type="button" size="md" underline="always" onClick={() => void logOut('tenant')}>
            Log out
          </Anchor>
        </>
      }
    >
      {data === undefined && error === null && <Skeleton h={120} />}
      {data === undefined && error !== null && <AuthProblem problem={toProblem(error)} />}
      {data !== undefined && (
        <CheckMail email={data.email} actions={<ResendButton email={data.email} />}>
          Open the link in the mail to verify your address. This page then continues automatically.
        </CheckMail>
      )}
    </CenteredPage>
  );
}
