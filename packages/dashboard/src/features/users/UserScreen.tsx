import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { platformKey } from '../../api/platform.ts';
import { disableUser, enableUser, type PlatformUserDetail, sendPasswordReset, userQuery } from '../../api/users.ts';
import { ConfirmButton } from '../../components/ConfirmDialog.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section, TitledTable } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { Ban, Mail, UserCheck } from '../../icons/icons.gen.ts';
import { listOf } from '../../lib/list-of.ts';
import { count, words } from '../../lib/text.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { userStatus } from './user-status.ts';

const parent = { label: 'Users', to: '/users' };

/** One user: state, memberships, sessions, and what an admin can do to help. */
export default function UserScreen({ userId: id }: { readonly userId: string }): ReactNode {
  const { data: user, error, refetch } = useQuery(userQuery(id));
  if (user !== undefined) return <UserPage user={user} />;
  return <UnloadedPage title="User" parent={parent} error={error} refetch={refetch} skeleton={[160, 200]} />;
}

function UserPage({ user }: { readonly user: PlatformUserDetail }) {
  const isDisabled = user.disabled_at !== null;
  const mayWrite = useWritesPlatform();
  return (
    <Page
      title={user.email}
      parent={parent}
      badges={<StatusBadge {...userStatus(user)} />}
      actions={
        mayWrite && (
          <>
            {!isDisabled && <PasswordResetButton user={user} />}
            {isDisabled ? <EnableButton user={user} /> : <DisableButton user={user} />}
          </>
        )
      }
    >
      {user.deletion_scheduled_for !== null && (
        <Alert color="yellow" title="The deletion of this account is scheduled">
          The personal data is erased on <TimeText value={user.deletion_scheduled_for} />. The user can cancel the
          deletion until then.
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
  return (
    <ConfirmButton
      button={{ icon: Ban, color: 'red', variant: 'light' }}
      title="Disable user"
      onConfirm={() => disableUser(user.id)}
      invalidates={invalidates}
    >
      Disabling <b>{user.email}</b> ends {count(user.sessions.length, 'session')} with the next request and prevents
      logins. The memberships stay. Access tokens that the user created belong to their tenants and keep working.
    </ConfirmButton>
  );
}

function EnableButton({ user }: { readonly user: PlatformUserDetail }) {
  return (
    <ConfirmButton
      button={{ icon: UserCheck }}
      title="Enable user"
      isDangerous={false}
      onConfirm={() => enableUser(user.id)}
      invalidates={invalidates}
    >
      <b>{user.email}</b> can log in again with the same password. Previous sessions stay logged out.
    </ConfirmButton>
  );
}

function PasswordResetButton({ user }: { readonly user: PlatformUserDetail }) {
  return (
    <ConfirmButton
      button={{ icon: Mail, variant: 'default' }}
      title="Send password reset"
      isDangerous={false}
      onConfirm={() => sendPasswordReset(user.id)}
      invalidates={invalidates}
      success={`We sent a link to choose a password to ${user.email}.`}
    >
      We send <b>{user.email}</b> a link to choose a new password, which expires in 60 minutes. The current password and
      sessions stay valid until the password changes.
    </ConfirmButton>
  );
}

/** The fields of an account. */
function UserFacts({ user }: { readonly user: PlatformUserDetail }) {
  const { two_factor: twoFactor } = user;
  return (
    <Section title="Account">
      <Facts
        items={[
          { label: 'Name', value: user.name },
          { label: 'Email verified', value: <TimeText value={user.email_verified_at} fallback="Not verified" /> },
          { label: 'ID', value: <CopyableText value={user.id} label="user ID" maxLength={18} /> },
          {
            label: 'Two-factor authentication',
            value:
              twoFactor.enabled_at === null ? (
                'Off'
              ) : (
                <>
                  On since <TimeText value={twoFactor.enabled_at} format="date" />,{' '}
                  {count(twoFactor.recovery_codes_left, 'recovery code')} left
                </>
              ),
          },
          { label: 'Password', value: user.has_password ? 'Set' : 'Not chosen yet' },
          { label: 'Joined', value: <TimeText value={user.created_at} /> },
          ...(user.disabled_at === null ? [] : [{ label: 'Disabled', value: <TimeText value={user.disabled_at} /> }]),
        ]}
      />
    </Section>
  );
}

type Membership = PlatformUserDetail['memberships'][number];

const membershipColumns: readonly Column<Membership>[] = [
  { header: 'Tenant', cell: ({ tenant_name }) => tenant_name },
  { header: 'Role', cell: ({ role }) => words(role), width: 120 },
  { header: 'Status', cell: ({ tenant_status }) => <StatusBadge status={tenant_status} />, width: 130 },
  timeColumn('Member since', ({ joined_at }) => joined_at, {
    format: 'date',
    align: 'right',
    isSecondary: true,
    width: 140,
  }),
];

/** The tenants of a user. */
function UserMemberships({ memberships }: { readonly memberships: readonly Membership[] }) {
  return (
    <TitledTable title="Memberships">
      <DataTable
        caption="Memberships"
        columns={membershipColumns}
        query={listOf(memberships)}
        rowKey={({ tenant_id }) => tenant_id}
        rowPath={({ tenant_id }) => `/admin/tenants/${tenant_id}`}
        empty={{ title: 'No memberships', description: 'This user does not belong to a tenant yet.' }}
      />
    </TitledTable>
  );
}

type Session = PlatformUserDetail['sessions'][number];

const sessionColumns: readonly Column<Session>[] = [
  { header: 'Device', cell: ({ device_name }) => device_name ?? 'Unnamed device' },
  timeColumn('Last used', ({ last_used_at }) => last_used_at, {
    format: 'relative',
    fallback: 'Not since the login',
    width: 180,
  }),
  timeColumn('Logged in', ({ created_at }) => created_at, { isSecondary: true, align: 'right', width: 190 }),
  timeColumn('Expires', ({ expires_at }) => expires_at, {
    format: 'relative',
    isSecondary: true,
    align: 'right',
    width: 140,
  }),
];

/** The sessions of a user that have not expired. */
function UserSessions({ sessions }: { readonly sessions: readonly Session[] }) {
  return (
    <TitledTable title="Sessions">
      <DataTable
        caption="Sessions"
        columns={sessionColumns}
        query={listOf(sessions)}
        empty={{ title: 'No sessions', description: 'This user is not logged in on any device.' }}
      />
    </TitledTable>
  );
}
