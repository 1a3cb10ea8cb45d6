import { Alert, Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { brandQuery, portalQuery } from '../../api/portal.ts';
import { settingsQuery } from '../../api/settings.ts';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { ExternalLink, Lock } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { PortalForm } from './PortalForm.tsx';

/** The settings of the page on which the holders of licenses see and manage them. */
export default function PortalScreen() {
  const surface = useSurface();
  const portal = useQuery(portalQuery(surface));
  const brand = useQuery(brandQuery(surface));
  const settings = useQuery(settingsQuery(surface));
  const canUpdate = allows(surface, 'portal', 'update');
  const failed = [portal, brand, settings].find(({ error }) => error !== null) ?? portal;
  const isLoaded = portal.data !== undefined && brand.data !== undefined && settings.data !== undefined;
  return (
    <Page
      title="Portal"
      description="The page on which the people who bought a license find their key, release devices and renew. They log in with their email address; there is no password."
      actions={portal.data?.is_enabled === true && portal.data.url !== null && <OpenPortal url={portal.data.url} />}
    >
      {!canUpdate && (
        <Alert color="gray" icon={<Lock size={18} aria-hidden="true" />}>
          <AlertText>Your role can view these settings. Owners and admins can change them.</AlertText>
        </Alert>
      )}
      {isLoaded ? (
        <PortalForm
          portal={portal.data}
          brand={brand.data}
          tenantName={settings.data.name}
          supportEmail={settings.data.support_email}
          isReadOnly={!canUpdate}
        />
      ) : (
        <QueryPlaceholder error={failed.error} refetch={failed.refetch} skeleton={<PortalSkeleton />} />
      )}
    </Page>
  );
}

function OpenPortal({ url }: { readonly url: string }) {
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" size="md">
      Open the portal <ExternalLink size={14} aria-hidden="true" style={{ verticalAlign: '-2px' }} />
    </Anchor>
  );
}

function PortalSkeleton() {
  return (
    <Stack aria-busy="true">
      <Skeleton h={160} />
      <Skeleton h={320} />
      <Skeleton h={180} />
    </Stack>
  );
}
