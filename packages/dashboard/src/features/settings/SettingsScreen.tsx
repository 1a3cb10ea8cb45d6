import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../api/settings.ts';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { Lock } from '../../icons/icons.gen.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows, allowsReading } from '../../surfaces.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { CloseTenantSection, TestTenantSection } from './TenantSections.tsx';

/** The settings of a tenant. */
export default function SettingsScreen() {
  const surface = useSurface();
  const query = useQuery(settingsQuery(surface));
  const canUpdate = allows(surface, 'settings', 'update');
  return (
    <Page title="Settings" description="Manage the settings of this tenant. The audit log records every change.">
      {!canUpdate && (
        <Alert color="gray" icon={<Lock size={18} aria-hidden="true" />}>
          <AlertText>You can view the settings. Only owners and admins can change them.</AlertText>
        </Alert>
      )}
      {query.data !== undefined && <SettingsForm settings={query.data} isReadOnly={!canUpdate} />}
      {query.data === undefined && (
        <QueryPlaceholder error={query.error} refetch={query.refetch} skeleton={<SettingsSkeleton />} />
      )}
      <Section title="Emails">
        <Text>
          To choose which mails your customers get, edit their texts, or use your own mail server, go to{' '}
          <SurfaceLink to="/settings/mails" underline="always">
            Email templates
          </SurfaceLink>
          .
        </Text>
      </Section>
      <TestTenantSection />
      <Section title="Plan and account">
        <Stack gap={4}>
          {allowsReading(surface, 'billing') && (
            <Text>
              To see your plan, its limits and your invoices, go to{' '}
              <SurfaceLink to="/billing" underline="always">
                Billing
              </SurfaceLink>
              .
            </Text>
          )}
          <Text>
            To manage people and their roles, go to{' '}
            <SurfaceLink to="/members" underline="always">
              Members
            </SurfaceLink>
            . To see every change, go to the{' '}
            <SurfaceLink to="/audit-logs" underline="always" search={{ resource_type: 'settings' }}>
              audit log
            </SurfaceLink>
            .
          </Text>
        </Stack>
      </Section>
      {query.data !== undefined && <CloseTenantSection name={query.data.name} />}
    </Page>
  );
}

function SettingsSkeleton() {
  return (
    <Stack aria-busy="true">
      <Skeleton h={220} />
      <Skeleton h={180} />
      <Skeleton h={120} />
      <Skeleton h={120} />
    </Stack>
  );
}
