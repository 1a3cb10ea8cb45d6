import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { accountQuery, updateAccount } from '../../api/account.ts';
import { toProblem } from '../../api/problem.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { useMe } from '../../shell/SignedIn.tsx';
import { DataExportSection } from './DataExportSection.tsx';
import { DeletionBanner, DeletionSection } from './DeletionSection.tsx';
import { EmailSection } from './EmailSection.tsx';
import { NoPasswordSection } from './NoPasswordSection.tsx';
import { PasswordSection } from './PasswordSection.tsx';
import { ProfileSection } from './ProfileSection.tsx';
import { SessionsSection } from './SessionsSection.tsx';
import { SingleSignOnSection } from './SingleSignOnSection.tsx';
import { TwoFactorSection } from './TwoFactorSection.tsx';

/** Everything that a person does with their own account. */
export function AccountScreen() {
  const email = useMe().user?.email ?? '';
  const { data: account, error, refetch } = useQuery(accountQuery());
  return (
    <Page
      title="Account"
      description="Your profile, how you log in, and your data. It is the same in all your tenants."
    >
      {error !== null && account === undefined && (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      )}
      <Stack gap="md" maw={760}>
        {account !== undefined && <DeletionBanner account={account} />}
        {account === undefined && error === null && <Skeleton h={232} radius="md" />}
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
