import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ShieldAlert } from 'lucide-react';
import { mustSetUpTwoFactor } from '../../api/identity.ts';
import { keyOf } from '../../api/query-client.ts';
import { Facts } from '../../components/Facts.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { words } from '../../lib/text.ts';
import { useMe } from '../../shell/SignedIn.tsx';
import { TwoFactorSection } from './TwoFactorSection.tsx';

/** What an admin of the platform does with their own account. */
export function AdminAccountScreen() {
  const { admin, two_factor_enabled: hasTwoFactor } = useMe();
  const { data: mustSetUp } = useQuery({
    queryKey: keyOf({ area: 'admin', tenantId: null }, 'must-set-up-two-factor'),
    queryFn: mustSetUpTwoFactor,
    enabled: !hasTwoFactor,
  });
  if (admin === undefined) return null;
  return (
    <Page title="Account" description="A super admin changes names and roles under Admins.">
      <Stack gap="md" maw={760}>
        {!hasTwoFactor && mustSetUp && (
          <Alert role="alert" color="yellow" icon={<ShieldAlert size={18} aria-hidden="true" />}>
            This installation demands two-factor authentication of its admins. Set it up here to open the other pages.
          </Alert>
        )}
        <Section title="Profile">
          <Facts
            cols={2}
            items={[
              { label: 'Name', value: admin.name },
              { label: 'Email', value: admin.email },
              { label: 'Role', value: words(admin.role) },
              { label: 'Created at', value: <TimeText value={admin.created_at} format="date" /> },
            ]}
          />
        </Section>
        <TwoFactorSection area="admin" />
      </Stack>
    </Page>
  );
}
