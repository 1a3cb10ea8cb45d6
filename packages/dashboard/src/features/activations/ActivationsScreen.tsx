import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { type Activation, activationsQuery } from '../../api/activations.ts';
import { licenseQuery } from '../../api/licenses.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { Facts } from '../../components/Facts.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { MonitorSmartphone, X } from '../../icons/icons.gen.ts';
import { truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { holderName } from '../licenses/columns.tsx';
import { DeactivateDialog, deviceName, useActivationColumns } from './columns.tsx';
import { activationStatuses, activationsSearch } from './search.ts';

/** The devices that use the tenant's licenses. */
export default function ActivationsScreen(): ReactNode {
  const surface = useSurface();
  const [search, change, bar] = useFilters(activationsSearch, 'q', 'status', 'license_id');
  const { activation: openId, ...filters } = search;
  const query = useQuery(activationsQuery(surface, filters));
  const [freed, setFreed] = useState<Activation | null>(null);
  const { cursor } = search;
  const open = useCallback(
    ({ id }: Activation) => void change({ activation: id, ...(cursor !== undefined && { cursor }) }),
    [change, cursor],
  );
  const columns = useActivationColumns({ withLicense: true, onDeactivate: setFreed, onOpen: open });
  return (
    <Page title="Devices" description="The devices that use a license. The list updates by itself.">
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search fingerprint, key or customer" />
        <SelectFilter name="status" label="Status" options={activationStatuses} />
        {search.license_id !== undefined && (
          <LicenseFilter id={search.license_id} onRemove={() => void change({ license_id: undefined })} />
        )}
      </FilterBar>
      <DataTable
        caption="Devices"
        columns={columns}
        query={query}
        empty={{
          icon: MonitorSmartphone,
          title: 'No devices yet',
          description:
            'Your application activates a device through the Integration API. It then counts as a device of its license.',
          noMatch: bar.isFiltered && {
            title: 'No device matches',
            description: 'Change the filters, or search for another text.',
          },
        }}
      />
      <ActivationPanel
        activation={query.data?.data.find(({ id }) => id === openId)}
        onClose={() => void change({ activation: undefined, ...(cursor !== undefined && { cursor }) })}
        onDeactivate={setFreed}
      />
      <DeactivateDialog activation={freed} onClose={() => setFreed(null)} />
    </Page>
  );
}

/** Names the license that the list is limited to. */
function LicenseFilter({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const { data } = useQuery(licenseQuery(useSurface(), id));
  const name = data === undefined ? '…' : (holderName(data.holder) ?? truncateMiddle(data.key, 19));
  return (
    <Group gap={4} wrap="nowrap">
      <Hint>License</Hint>
      <Button
        size="sm"
        variant="default"
        rightSection={<X size={14} aria-hidden="true" />}
        aria-label={`Remove the filter license ${name}`}
        onClick={onRemove}
      >
        {name}
      </Button>
    </Group>
  );
}

interface ActivationPanelProps {
  readonly activation: Activation | undefined;
  readonly onClose: () => void;
  readonly onDeactivate: (activation: Activation) => void;
}

/** Everything about one device, beside the list. */
function ActivationPanel({ activation, onClose, onDeactivate }: ActivationPanelProps) {
  return (
    <Panel
      title={activation === undefined ? 'Device' : deviceName(activation)}
      isOpen={activation !== undefined}
      onClose={onClose}
    >
      {activation !== undefined && <Details activation={activation} onDeactivate={onDeactivate} />}
    </Panel>
  );
}

function Details({
  activation,
  onDeactivate,
}: Pick<ActivationPanelProps, 'onDeactivate'> & { readonly activation: Activation }) {
  const surface = useSurface();
  const { license, metadata } = activation;
  return (
    <Stack gap="lg">
      <Facts
        cols={2}
        items={[
          { label: 'Status', value: <StatusBadge status={activation.status} /> },
          {
            label: 'License',
            value: (
              <SurfaceLink to={`/licenses/${activation.license_id}`}>
                {holderName(license.holder) ?? truncateMiddle(license.key, 19)}
              </SurfaceLink>
            ),
          },
          { label: 'Name', value: activation.name ?? '—' },
          { label: 'Host name', value: activation.hostname ?? '—' },
          { label: 'Platform', value: activation.platform ?? '—' },
          { label: 'Address', value: activation.ip ?? '—' },
          {
            label: 'Fingerprint',
            value: <CopyableText value={activation.fingerprint} label="fingerprint" maxLength={24} />,
          },
          {
            label: 'Device ID',
            value: <CopyableText value={activation.id} label="device ID" maxLength={19} />,
          },
          ...(activation.components.length === 0 ? [] : [{ label: 'Parts', value: activation.components.join(', ') }]),
          { label: 'Activated', value: <TimeText value={activation.created_at} /> },
          { label: 'Last heartbeat', value: <TimeText value={activation.last_heartbeat_at} format="relative" /> },
          { label: 'Lease ends', value: <TimeText value={activation.lease_expires_at} fallback="No lease" /> },
        ]}
      />
      {Object.keys(metadata).length > 0 && <CodeBlock code={JSON.stringify(metadata, null, 2)} label="metadata" />}
      {activation.status === 'active' && allows(surface, 'activations', 'delete') && (
        <Group>
          <Button color="red" variant="light" onClick={() => onDeactivate(activation)}>
            Release device
          </Button>
        </Group>
      )}
    </Stack>
  );
}
