import { Stack } from '@mantine/core';
import { Facts } from '../../components/Facts.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { words } from '../../lib/text.ts';
import { useMe } from '../../shell/SignedIn.tsx';
import { TwoFactorSection } from './TwoFactorSection.tsx';

/** What an admin of the platform does with their own account. */
export function AdminAccountScreen() {
  const { admin } = useMe();
  if (admin === undefined) return null;
  return (
    <Page title="Account" description="A super admin changes names and roles under Admins.">
      <Stack gap="md" maw={760}>
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
