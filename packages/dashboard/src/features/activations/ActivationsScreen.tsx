import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { MonitorSmartphone, X } from 'lucide-react';
import { type ReactNode, useCallback, useState } from 'react';
import { type Activation, activationsQuery } from '../../api/activations.ts';
import { licenseQuery } from '../../api/licenses.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { truncateMiddle } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { holderName } from '../licenses/columns.tsx';
import { ActivationPanel } from './ActivationPanel.tsx';
import { useActivationColumns } from './columns.tsx';
import { DeactivateDialog } from './DeactivateDialog.tsx';
import { activationStatuses, activationsSearch } from './search.ts';

const noFilters = { q: undefined, status: undefined, license_id: undefined };

/** The devices that use the tenant's licenses. */
export function ActivationsScreen(): ReactNode {
  const surface = useSurface();
  const [search, change] = useFilters(activationsSearch);
  const { activation: openId, ...filters } = search;
  const query = useQuery(activationsQuery(surface, filters));
  const [freed, setFreed] = useState<Activation | null>(null);
  const { cursor } = search;
  const open = useCallback(
    ({ id }: Activation) => void change({ activation: id, ...(cursor !== undefined && { cursor }) }),
    [change, cursor],
  );
  const columns = useActivationColumns({ withLicense: true, onDeactivate: setFreed, onOpen: open });
  const isFiltered = search.q !== undefined || search.status !== undefined || search.license_id !== undefined;
  return (
    <Page title="Activations" description="Devices that use a license. They appear and leave by themselves.">
      <FilterBar isFiltered={isFiltered} onReset={() => void change(noFilters)}>
        <SearchFilter
          label="Search fingerprint, key or holder"
          value={search.q}
          onChange={(q) => void change({ q }, { replace: true })}
        />
        <SelectFilter
          label="Status"
          options={activationStatuses}
          value={search.status}
          onChange={(status) => void change({ status })}
        />
        {search.license_id !== undefined && (
          <LicenseFilter id={search.license_id} onRemove={() => void change({ license_id: undefined })} />
        )}
      </FilterBar>
      <DataTable
        caption="Activations"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <EmptyState title="No activation matches" description="Change the filters, or search for another text." />
          ) : (
            <EmptyState
              icon={MonitorSmartphone}
              title="No activations yet"
              description="An activation is a device that uses a license and takes one of its seats. Your application creates it through the Integration API."
            />
          )
        }
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
      <Text size="sm" c="dimmed">
        License
      </Text>
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
