import { Alert, Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Ban, Mail, UserCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { platformKey } from '../../api/platform.ts';
import { toProblem } from '../../api/problem.ts';
import { disableUser, enableUser, type PlatformUserDetail, sendPasswordReset, userQuery } from '../../api/users.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useAction } from '../../components/use-action.ts';
import { count } from '../../lib/text.ts';
import { UserFacts } from './UserFacts.tsx';
import { UserMemberships } from './UserMemberships.tsx';
import { UserSessions } from './UserSessions.tsx';
import { userStatus } from './user-status.ts';

const parent = { label: 'Users', to: '/users' };

/** One user: state, memberships, sessions, and what an admin can do to help. */
export function UserScreen({ id }: { readonly id: string }): ReactNode {
  const { data: user, error, refetch } = useQuery(userQuery(id));
  if (user !== undefined) return <UserPage user={user} />;
  return (
    <Page title="User" parent={parent}>
      {error === null ? (
        <Stack gap="lg">
          <Skeleton h={160} />
          <Skeleton h={200} />
        </Stack>
      ) : (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function UserPage({ user }: { readonly user: PlatformUserDetail }) {
  const isDisabled = user.disabled_at !== null;
  return (
    <Page
      title={user.email}
      parent={parent}
      heading={<DetailHeader name={user.email} badges={<StatusBadge {...userStatus(user)} />} />}
      actions={
        <>
          {!isDisabled && <PasswordResetButton user={user} />}
          {isDisabled ? <EnableButton user={user} /> : <DisableButton user={user} />}
        </>
      }
    >
      {user.deletion_scheduled_for !== null && (
        <Alert color="yellow" title="The deletion of this account is scheduled">
          The personal data is erased on <TimeText value={user.deletion_scheduled_for} />. The user can cancel it until
          then.
        </Alert>
      )}
      <UserFacts user={user} />
      <UserMemberships memberships={user.memberships} />
      <UserSessions sessions={user.sessions} />
    </Page>
  );
}

const invalidates = [platformKey('users')];

function DisableButton({ user }: { readonly user: PlatformUserDetail }) {
  const [isOpen, setOpen] = useState(false);
  const disable = useAction({ run: () => disableUser(user.id), invalidates });
  return (
    <>
      <Button
        color="red"
        variant="light"
        leftSection={<Ban size={15} aria-hidden="true" />}
        onClick={() => setOpen(true)}
      >
        Disable user
      </Button>
      <ConfirmDialog
        title="Disable user"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => disable.mutateAsync()}
      >
        Disabling <b>{user.email}</b> ends {count(user.sessions.length, 'session')} with the next request and prevents
        logins. The memberships stay. Access tokens that the user created belong to their tenants and keep working.
      </ConfirmDialog>
    </>
  );
}

function EnableButton({ user }: { readonly user: PlatformUserDetail }) {
  const [isOpen, setOpen] = useState(false);
  const enable = useAction({ run: () => enableUser(user.id), invalidates });
  return (
    <>
      <Button leftSection={<UserCheck size={15} aria-hidden="true" />} onClick={() => setOpen(true)}>
        Enable user
      </Button>
      <ConfirmDialog
        title="Enable user"
        isDangerous={false}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => enable.mutateAsync()}
      >
        <b>{user.email}</b> can log in again with the same password. The former sessions stay ended.
      </ConfirmDialog>
    </>
  );
}

function PasswordResetButton({ user }: { readonly user: PlatformUserDetail }) {
  const [isOpen, setOpen] = useState(false);
  const send = useAction({
    run: () => sendPasswordReset(user.id),
    invalidates,
    success: `A link to choose a password is on its way to ${user.email}.`,
  });
  return (
    <>
      <Button variant="default" leftSection={<Mail size={15} aria-hidden="true" />} onClick={() => setOpen(true)}>
        Send password reset
      </Button>
      <ConfirmDialog
        title="Send password reset"
        isDangerous={false}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => send.mutateAsync()}
      >
        <b>{user.email}</b> gets a mail with a link to choose a new password, which works for 60 minutes. The present
        password and the sessions stay valid until then.
      </ConfirmDialog>
    </>
  );
}
