import { Alert, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { adminAccountQuery, updateAdminAccount } from '../../api/account.ts';
import { mustSetUpTwoFactor } from '../../api/identity.ts';
import { meQuery } from '../../api/me.ts';
import { toProblem } from '../../api/problem.ts';
import { keyOf } from '../../api/query-client.ts';
import type { components } from '../../api/schema.gen.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { ShieldAlert } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { useMe } from '../../shell/SignedIn.tsx';
import { required } from '../identity/password-rules.ts';
import { PasswordSection } from './PasswordSection.tsx';
import { SessionsSection } from './SessionsSection.tsx';
import { TwoFactorSection } from './TwoFactorSection.tsx';

/** What an admin of the platform does with their own account. */
export default function AdminAccountScreen() {
  const { admin, two_factor_enabled: hasTwoFactor } = useMe();
  const { data: mustSetUp } = useQuery({
    queryKey: keyOf({ area: 'admin', tenantId: null }, 'must-set-up-two-factor'),
    queryFn: mustSetUpTwoFactor,
    enabled: !hasTwoFactor,
  });
  // Without two-factor authentication, an installation that demands it refuses this too.
  const {
    data: account,
    error,
    refetch,
  } = useQuery({ ...adminAccountQuery(), enabled: hasTwoFactor || mustSetUp === false });
  if (admin === undefined) return null;
  return (
    <Page
      title="Account"
      description="Manage your profile and how you log in. Super admins can change roles under Admins."
    >
      <Stack gap="md" maw={760}>
        {!hasTwoFactor && mustSetUp && (
          <Alert role="alert" color="yellow" icon={<ShieldAlert size={18} aria-hidden="true" />}>
            Admins of this installation must use two-factor authentication. Set it up here to open the other pages.
          </Alert>
        )}
        {error !== null && account === undefined && !mustSetUp && (
          <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
        )}
        {account !== undefined && <AdminProfileSection admin={account} />}
        {account !== undefined && <PasswordSection area="admin" email={account.email} submit={updateAdminAccount} />}
        <TwoFactorSection area="admin" />
        {account !== undefined && <SessionsSection area="admin" />}
      </Stack>
    </Page>
  );
}

/** The name of the admin, and what only a super admin changes. */
function AdminProfileSection({ admin }: { readonly admin: components['schemas']['AdminAccount'] }) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { name: admin.name },
    validate: { name: required('your name') },
    submit: ({ name }) => updateAdminAccount({ name: name.trim() }),
    async onSaved(changed) {
      client.setQueryData(adminAccountQuery().queryKey, changed);
      await client.invalidateQueries({ queryKey: meQuery('admin').queryKey });
    },
  });
  return (
    <Section title="Profile">
      <Facts
        cols={2}
        items={[
          { label: 'Email', value: admin.email },
          { label: 'Role', value: words(admin.role) },
          { label: 'Created at', value: <TimeText value={admin.created_at} format="date" /> },
        ]}
      />
      <ResourceFormBody resource={resource} submitLabel="Save changes">
        <TextInput label="Name" autoComplete="name" maxLength={100} {...resource.form.getInputProps('name')} />
      </ResourceFormBody>
    </Section>
  );
}
