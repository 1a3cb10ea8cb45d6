import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ShieldAlert } from 'lucide-react';
import { adminAccountQuery, updateAdminAccount } from '../../api/admin-account.ts';
import { mustSetUpTwoFactor } from '../../api/identity.ts';
import { toProblem } from '../../api/problem.ts';
import { keyOf } from '../../api/query-client.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { useMe } from '../../shell/SignedIn.tsx';
import { AdminProfileSection } from './AdminProfileSection.tsx';
import { PasswordSection } from './PasswordSection.tsx';
import { SessionsSection } from './SessionsSection.tsx';
import { TwoFactorSection } from './TwoFactorSection.tsx';

/** What an admin of the platform does with their own account. */
export function AdminAccountScreen() {
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
    <Page title="Account" description="Your profile and how you log in. A super admin changes roles under Admins.">
      <Stack gap="md" maw={760}>
        {!hasTwoFactor && mustSetUp && (
          <Alert role="alert" color="yellow" icon={<ShieldAlert size={18} aria-hidden="true" />}>
            This installation demands two-factor authentication of its admins. Set it up here to open the other pages.
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
