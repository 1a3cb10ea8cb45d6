import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { applyDifference, type Comparison, type Difference, differencesQuery } from '../../api/comparisons.ts';
import { type Connection, connectionsKey } from '../../api/connections.ts';
import { licensesKey } from '../../api/licenses.ts';
import { actionsColumn, type Column, DataTable } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useAction } from '../../components/use-action.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { connectionSearch, differenceStates } from './search.ts';
import { buyerName, differenceText } from './words.ts';

interface DifferenceListProps {
  readonly connection: Connection;
  readonly comparison: Comparison;
}

/** What a comparison found, each with the button that applies it. */
export function DifferenceList({ connection, comparison }: DifferenceListProps) {
  const [{ difference: state, cursor }, , bar] = useFilters(connectionSearch, 'difference');
  const filters = { ...(state !== undefined && { state }), ...(cursor !== undefined && { cursor }) };
  const query = useQuery(differencesQuery(useSurface(), connection.id, comparison.id, filters));
  return (
    <Stack gap="md">
      <FilterBar filters={bar}>
        <SelectFilter name="difference" label="State" options={differenceStates} />
      </FilterBar>
      <DataTable
        caption="Differences"
        columns={columns(connection, comparison)}
        query={query}
        skeletonRows={4}
        empty={{ title: 'No such difference', description: 'No difference of this comparison has this state.' }}
      />
    </Stack>
  );
}

function columns(connection: Connection, comparison: Comparison): readonly Column<Difference>[] {
  return [
    {
      header: 'Customer',
      cell: ({ buyer, external_id }) => (
        <Stack gap={0} maw={{ base: 130, xs: 220 }}>
          <Text span inherit truncate>
            {buyer === null ? 'Unknown customer' : buyerName(buyer)}
          </Text>
          <Text span size="xs" c="dimmed" truncate title={external_id}>
            {external_id}
          </Text>
        </Stack>
      ),
    },
    {
      header: 'Difference',
      cell: ({ kind, summary }) => (
        <Stack gap={0} style={{ whiteSpace: 'normal' }}>
          <Text span inherit fw={500}>
            {differenceText(kind)}
          </Text>
          <Text span size="sm" c="dimmed">
            {summary}
          </Text>
        </Stack>
      ),
    },
    { header: 'License', cell: ({ license_ids: [id] }) => <LicenseOf id={id} />, isSecondary: true },
    actionsColumn((difference) => <Apply connection={connection} comparison={comparison} difference={difference} />),
  ];
}

function LicenseOf({ id }: { readonly id: string | undefined }) {
  return id === undefined ? 'None' : <SurfaceLink to={`/licenses/${id}`}>License</SurfaceLink>;
}

function Apply({ connection, comparison, difference }: DifferenceListProps & { readonly difference: Difference }) {
  const surface = useSurface();
  const apply = useAction({
    run: () => applyDifference(surface, connection.id, comparison.id, difference.id),
    invalidates: [connectionsKey(surface), licensesKey(surface)],
  });
  if (difference.state === 'applied') return <StatusBadge status="applied" tone="good" />;
  if (!allows(surface, 'connections', 'act')) {
    return <StatusBadge status={difference.state} />;
  }
  return (
    <RunButton
      action={apply}
      size="xs"
      variant="default"
      aria-label={`Apply the difference of ${difference.buyer === null ? difference.external_id : buyerName(difference.buyer)}`}
    >
      Apply
    </RunButton>
  );
}
