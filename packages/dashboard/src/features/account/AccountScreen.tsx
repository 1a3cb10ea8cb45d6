import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Account, accountQuery, updateAccount } from '../../api/account.ts';
import { meQuery } from '../../api/me.ts';
import { toProblem } from '../../api/problem.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useMe } from '../../shell/SignedIn.tsx';
import { required } from '../identity/password-rules.ts';
import { DataExportSection } from './DataExportSection.tsx';
import { DeletionBanner, DeletionSection } from './DeletionSection.tsx';
import { EmailSection } from './EmailSection.tsx';
import { InvitationsSection } from './InvitationsSection.tsx';
import { PasswordSection } from './PasswordSection.tsx';
import { SessionsSection } from './SessionsSection.tsx';
import { SingleSignOnSection } from './SingleSignOnSection.tsx';
import { TwoFactorSection } from './TwoFactorSection.tsx';

/** Everything that a person does with their own account. */
export default function AccountScreen() {
  const email = useMe().user?.email ?? '';
  const { data: account, error, refetch } = useQuery(accountQuery());
  return (
    <Page
      title="Account"
      description="Manage your profile, how you log in, and your data. This account is shared by all your tenants."
    >
      {error !== null && account === undefined && (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      )}
      <Stack gap="md" maw={760}>
        {account !== undefined && <DeletionBanner account={account} />}
        {account === undefined && error === null && <Skeleton h={232} radius="md" />}
        <InvitationsSection />
        {account !== undefined && <ProfileSection account={account} />}
        {account?.has_password && <EmailSection account={account} />}
        {account?.has_password === false ? (
          <NoPasswordSection />
        ) : (
          <PasswordSection area="tenant" email={email} submit={updateAccount} />
        )}
        {account !== undefined && <SingleSignOnSection account={account} />}
        <TwoFactorSection area="tenant" />
        <SessionsSection area="tenant" />
        <DataExportSection />
        {account !== undefined && <DeletionSection account={account} />}
      </Stack>
    </Page>
  );
}

/** Says that the person has no password, and leads to the page that mails a link to choose one. */
function NoPasswordSection() {
  return (
    <Section
      title="Password"
      description="You log in with single sign-on and do not have a password. Choose one to unlink single sign-on, set up two-factor authentication, or delete your account."
    >
      <Group>
        <Button component={PathLink} to="/forgot-password" variant="default">
          Choose a password
        </Button>
      </Group>
    </Section>
  );
}

/** The name of the person. */
function ProfileSection({ account }: { readonly account: Account }) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { name: account.name },
    validate: { name: required('your name') },
    submit: ({ name }) => updateAccount({ name: name.trim() }),
    async onSaved(changed) {
      client.setQueryData(accountQuery().queryKey, changed);
      await client.invalidateQueries({ queryKey: meQuery('tenant').queryKey });
    },
  });
  return (
    <Section title="Profile">
      <ResourceFormBody resource={resource} submitLabel="Save changes">
        <TextInput label="Name" autoComplete="name" maxLength={100} {...resource.form.getInputProps('name')} />
      </ResourceFormBody>
    </Section>
  );
}
