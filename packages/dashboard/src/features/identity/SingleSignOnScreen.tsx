import { Anchor, Button, Loader, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { finishSingleSignOn, singleSignOnPath } from '../../api/identity.ts';
import { Problem, toProblem } from '../../api/problem.ts';
import type { Area } from '../../api/session.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { PathLink } from '../../shell/PathLink.tsx';
import { loginPath, safeNext } from '../../shell/require-session.ts';
import { AuthProblem } from './AuthProblem.tsx';
import { CodeForm } from './CodeForm.tsx';
import { openAfterLogin } from './open-after-login.ts';

/** What the service says in the fragment of the URL when the browser returns from the provider. */
interface Arrival {
  readonly area: Area;
  readonly next: string | undefined;
  readonly code: string | null;
  readonly error: string | null;
}

/** The fragment is not sent to servers. It could come from anybody, so the service checks the code, and `next` is a path. */
function readArrival(hash: string): Arrival {
  const fragment = new URLSearchParams(hash);
  const area = fragment.get('ability') === 'admin' ? 'admin' : 'tenant';
  const next = fragment.get('next') ?? undefined;
  return { area, next: next && safeNext(next, area), code: fragment.get('code'), error: fragment.get('error') };
}

/** Why the service refused the login. Only known codes have a text: the fragment must not put words on the page. */
const explanations: Readonly<Record<string, string>> = {
  'AUTH.SSO_DENIED': 'The provider refused the login, or you canceled it. Try again.',
  'AUTH.SSO_TOKEN_INVALID': 'The response of the provider could not be verified, so you were not logged in. Try again.',
  'AUTH.SSO_ATTEMPT_INVALID':
    'This login was started in another browser, was already used, or took longer than 10 minutes. Try again.',
  'AUTH.SSO_EMAIL_UNVERIFIED': 'The provider has not verified your email address. Verify it there, then try again.',
  'AUTH.SSO_NO_ACCOUNT':
    'No account has your email address. Create an account first, or ask an owner of your tenant for an invitation.',
  'AUTH.SIGN_UP_CLOSED':
    'No account has your email address, and single sign-on cannot create one here. Ask an owner of your tenant or the operator of this service.',
  'AUTH.SSO_IDENTITY_TAKEN':
    'Another identity of the provider is linked to the account with your email address. Log in with that identity.',
  'AUTH.SSO_ROLE_MISSING': 'The provider does not give you an admin role. Ask the people who manage the provider.',
  'AUTH.SSO_ACCOUNT_DISABLED': 'Your account is disabled. Ask the operator of this service to enable it.',
  'AUTH.SSO_OFF': 'Single sign-on is not configured for this login.',
  'ADMIN.LAST_SUPER_ADMIN':
    'You are the last super admin with a password, and the provider assigns you a different role. Log in with your password.',
  'RATE_LIMIT.EXCEEDED': 'Too many attempts came from your network. Try again in a minute.',
  'SERVICE.UNAVAILABLE':
    'The provider cannot be reached right now. Try again in a minute, or log in with your password.',
};
const unexpected = 'Something went wrong during the login. Try again.';

/** Finishes a login at the provider of single sign-on, or says why it was refused. */
export default function SingleSignOnScreen() {
  const hash = useLocation({ select: (location) => location.hash });
  const [{ area, next, code, error }] = useState(() => readArrival(hash));
  const router = useRouter();
  const isStarted = useRef(false);
  const { mutate, error: failure } = useMutation({
    mutationFn: (text: string) => finishSingleSignOn(area, text),
    onSuccess: (login) => openAfterLogin(router, login.ability, login, next),
  });
  useEffect(() => {
    if (code === null || isStarted.current) return;
    isStarted.current = true;
    // The code works once, so it must not stay in the history.
    router.history.replace('/single-sign-on');
    mutate(code);
  }, [code, mutate, router]);
  if (failure instanceof Problem && failure.code === 'AUTH.TWO_FACTOR_REQUIRED' && code !== null) {
    return (
      <CenteredPage
        title="Two-factor authentication"
        description="Enter a code from your authenticator app to log in."
        footer={<OtherWay area={area} next={next} />}
      >
        <CodeForm
          submit={(secondFactor) => finishSingleSignOn(area, code, secondFactor)}
          onLoggedIn={(login) => openAfterLogin(router, login.ability, login, next)}
        />
      </CenteredPage>
    );
  }
  if (code !== null && failure === null) {
    return (
      <CenteredPage title="Single sign-on">
        <Stack align="center" gap="sm" role="status">
          <Loader size="sm" aria-hidden="true" />
          <Text>Logging you in…</Text>
        </Stack>
      </CenteredPage>
    );
  }
  const reason = failure === null ? error : toProblem(failure).code;
  return <Refusal area={area} next={next} reason={reason} />;
}

interface RefusalProps extends Pick<Arrival, 'area' | 'next'> {
  readonly reason: string | null;
}

function Refusal({ area, next, reason }: RefusalProps) {
  const known = reason !== null && Object.hasOwn(explanations, reason) ? explanations[reason] : undefined;
  const text = reason === null ? 'Go to the login page to log in.' : (known ?? unexpected);
  const problem = new Problem(text, { status: 401, code: 'AUTH.SSO_DENIED' });
  return (
    <CenteredPage title="You are not logged in" footer={<OtherWay area={area} next={next} />}>
      <Stack gap="md">
        <AuthProblem problem={problem} />
        <Button component="a" href={singleSignOnPath(area, next)} size="md" fullWidth>
          Try again
        </Button>
      </Stack>
    </CenteredPage>
  );
}

function OtherWay({ area, next }: Pick<Arrival, 'area' | 'next'>) {
  return (
    <Anchor component={PathLink} to={loginPath(area)} search={next === undefined ? {} : { next }} size="md">
      Log in with your password
    </Anchor>
  );
}
