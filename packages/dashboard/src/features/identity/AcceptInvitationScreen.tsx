import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { acceptInvitation, declineInvitation, type Invitation, logIn, readInvitation } from '../../api/identity.ts';
import { Problem, toProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Area, selectTenant } from '../../api/session.ts';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { words } from '../../lib/text.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { AuthForm } from './AuthForm.tsx';
import { AuthProblem } from './AuthProblem.tsx';
import { useLinkToken } from './link-token.ts';
import { InvalidLink } from './Messages.tsx';
import { NewPasswordInput } from './NewPasswordInput.tsx';
import { openAfterLogin } from './open-after-login.ts';
import { checkNewPassword, required } from './password-rules.ts';
import { setPendingLogin } from './pending-login.ts';

/** Accepts the invitation of a mail: to a tenant, or to the administration of the platform. */
export default function AcceptInvitationScreen() {
  const token = useLinkToken();
  const { data, error } = useQuery({
    queryKey: ['tenant', null, 'invitation', token],
    queryFn: () => readInvitation({ token: token ?? '' }),
    enabled: token !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token !== null && data !== undefined) {
    return data.has_account ? (
      <AccountAcceptance token={token} invitation={data} />
    ) : (
      <Acceptance token={token} invitation={data} />
    );
  }
  const problem = error === null ? null : toProblem(error);
  const isInvalid = token === null || problem?.code === 'AUTH.LINK_INVALID';
  return (
    <CenteredPage title="Accept the invitation">
      {isInvalid && <AskAgain />}
      {!isInvalid && problem !== null && <AuthProblem problem={problem} />}
      {!isInvalid && problem === null && <Skeleton h={220} />}
    </CenteredPage>
  );
}

function AskAgain() {
  return (
    <InvalidLink>
      This invitation was accepted already, was replaced by a newer one, was withdrawn, or is older than seven days. Ask
      the person who invited you for a new one.
    </InvalidLink>
  );
}

interface AcceptanceProps {
  readonly token: string;
  readonly invitation: Invitation;
}

/** Accepts the invitation and logs the person in; null if the login needs a code as well. */
async function acceptAndLogIn(area: Area, { token, invitation }: AcceptanceProps, name: string, password: string) {
  const accepted = await acceptInvitation({ token, name, password });
  const credentials = { email: invitation.email, password };
  try {
    return { accepted, credentials, login: await logIn(area, credentials) };
  } catch (error) {
    if (error instanceof Problem && error.code === 'AUTH.TWO_FACTOR_REQUIRED') {
      return { accepted, credentials, login: null };
    }
    throw error;
  }
}

function Acceptance({ token, invitation }: AcceptanceProps) {
  const router = useRouter();
  const navigate = useNavigate();
  const { email, kind } = invitation;
  const area: Area = kind === 'admin' ? 'admin' : 'tenant';
  const resource = useResourceForm({
    initialValues: { name: invitation.name ?? '', password: '' },
    validate: { name: required('your name'), password: checkNewPassword },
    submit: ({ name, password }) => acceptAndLogIn(area, { token, invitation }, name.trim(), password),
    onSaved({ accepted, credentials, login }) {
      const joined = accepted.tenants.at(-1);
      if (joined !== undefined) selectTenant(joined.id);
      if (login !== null) return openAfterLogin(router, area, login);
      setPendingLogin({ area, credentials });
      return navigate({ to: '/two-factor' });
    },
  });
  const { form } = resource;
  if (resource.problem?.code === 'AUTH.LINK_INVALID') return <Ended />;
  return (
    <InvitationPage invitation={invitation}>
      <AuthForm resource={resource} submitLabel="Accept the invitation">
        <Stack gap="sm">
          <TextInput size="md" label="Email" type="email" autoComplete="username" value={email} readOnly />
          <TextInput
            size="md"
            label="Name"
            autoComplete="name"
            maxLength={100}
            autoFocus
            {...form.getInputProps('name')}
          />
          <NewPasswordInput size="md" label="Password" {...form.getInputProps('password')} />
        </Stack>
      </AuthForm>
      {kind === 'tenant' && <DeclineButton token={token} />}
    </InvitationPage>
  );
}

/** Accepts with the account that has the address already. The account stays as it is. */
function AccountAcceptance({ token, invitation }: AcceptanceProps) {
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: () => acceptInvitation({ token }),
    async onSuccess() {
      // The invitation of this page no longer exists.
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => !queryKey.includes('invitation') });
      await navigate({ to: '/' });
    },
  });
  const problem = accept.error === null ? null : toProblem(accept.error);
  if (problem?.code === 'AUTH.LINK_INVALID') return <Ended />;
  return (
    <InvitationPage invitation={invitation}>
      <Text>
        The invitation is for your account <b style={{ overflowWrap: 'anywhere' }}>{invitation.email}</b>, which stays
        as it is.
      </Text>
      {problem !== null && <AuthProblem problem={problem} />}
      <Button size="md" loading={accept.isPending} onClick={() => accept.mutate()}>
        Accept the invitation
      </Button>
      <DeclineButton token={token} />
    </InvitationPage>
  );
}

function DeclineButton({ token }: { readonly token: string }) {
  const decline = useMutation({ mutationFn: () => declineInvitation({ token }) });
  if (decline.isSuccess) {
    return <Text role="status">You declined the invitation.</Text>;
  }
  return (
    <>
      {decline.error !== null && <AuthProblem problem={toProblem(decline.error)} />}
      <Button variant="subtle" color="red" loading={decline.isPending} onClick={() => decline.mutate()}>
        Decline
      </Button>
    </>
  );
}

function Ended() {
  return (
    <CenteredPage title="Accept the invitation">
      <AskAgain />
    </CenteredPage>
  );
}

interface InvitationPageProps {
  readonly invitation: Invitation;
  readonly children: ReactNode;
}

/** Says who invites to what. */
function InvitationPage({ invitation, children }: InvitationPageProps) {
  const { tenant_name: tenantName, role, expires_at: expiresAt } = invitation;
  return (
    <CenteredPage
      title={tenantName === null ? 'Join the administration' : `Join ${tenantName}`}
      description={
        <>
          You are invited as <b>{words(role).toLowerCase()}</b>. The invitation ends{' '}
          <TimeText value={expiresAt} format="when" />.
        </>
      }
    >
      <Stack gap="md">{children}</Stack>
    </CenteredPage>
  );
}
