import { Skeleton, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { policyChoiceQuery } from '../../api/license-choices.ts';
import { type License, licenseQuery } from '../../api/licenses.ts';
import { toProblem } from '../../api/problem.ts';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { truncateMiddle } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { holderName } from './columns.tsx';
import { EditLicense } from './EditLicense.tsx';
import { LicenseActions } from './LicenseActions.tsx';
import { LicenseActivations } from './LicenseActivations.tsx';
import { LicenseEntitlements } from './LicenseEntitlements.tsx';
import { LicenseFacts } from './LicenseFacts.tsx';
import { LicenseHistory } from './LicenseHistory.tsx';
import { LicenseUsage } from './LicenseUsage.tsx';
import { licenseSearch } from './search.ts';
import { statusMeaning } from './status-meaning.ts';
import { TryIt } from './TryIt.tsx';

const parent = { label: 'Licenses', to: '/licenses' };

/** Returns the name of a license for people: its holder, otherwise its key. */
function licenseName({ holder, key }: Pick<License, 'holder' | 'key'>): string {
  return holderName(holder) ?? truncateMiddle(key, 23);
}

/** The page of one license. */
export function LicenseScreen({ id }: { readonly id: string }): ReactNode {
  const surface = useSurface();
  const { data: license, error, refetch } = useQuery(licenseQuery(surface, id));
  if (license !== undefined) return <LicensePage license={license} />;
  return (
    <Page title="License" parent={parent}>
      {error === null ? (
        <Stack gap="lg" aria-busy="true">
          <Skeleton h={180} />
          <Skeleton h={260} />
          <Skeleton h={220} />
        </Stack>
      ) : (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function LicensePage({ license }: { readonly license: License }) {
  const surface = useSurface();
  const [{ tab = 'activations', panel, cursor }, change] = useFilters(licenseSearch);
  const { data: policy } = useQuery(policyChoiceQuery(surface, license.policy_id));
  const name = licenseName(license);
  const mayEdit = allows(surface, 'licenses', 'update');
  return (
    <Page
      title={name}
      parent={parent}
      heading={<DetailHeader name={name} badges={<StatusBadge status={license.status} />} />}
      description={statusMeaning(license, policy)}
      actions={<LicenseActions license={license} onEdit={() => void change({ panel: 'edit', cursor })} />}
    >
      <LicenseFacts license={license} />
      {allows(surface, 'licenses', 'act') && <TryIt license={license} policy={policy} />}
      <LicenseEntitlements license={license} />
      <Tabs value={tab} onChange={(next) => void change({ tab: next === 'activations' ? undefined : next })}>
        <Tabs.List mb="md">
          <Tabs.Tab value="activations">Activations</Tabs.Tab>
          <Tabs.Tab value="usage">Usage</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="activations">
          <LicenseActivations license={license} cursor={cursor} />
        </Tabs.Panel>
        <Tabs.Panel value="usage">
          <LicenseUsage license={license} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <LicenseHistory license={license} cursor={cursor} />
        </Tabs.Panel>
      </Tabs>
      <EditLicense
        license={license}
        isOpen={panel === 'edit' && mayEdit}
        onClose={() => void change({ panel: undefined, cursor })}
      />
    </Page>
  );
}
