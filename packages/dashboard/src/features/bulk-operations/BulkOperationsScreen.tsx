import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type BulkOperation, bulkOperationsQuery } from '../../api/bulk.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Page } from '../../components/Page.tsx';
import { ListChecks } from '../../icons/icons.gen.ts';
import { pathOn, SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { OperationState } from './OperationState.tsx';
import { bulkOperationsSearch } from './search.ts';
import { actionText, resultText } from './words.tsx';

const columns: readonly Column<BulkOperation>[] = [
  { header: 'Operation', cell: actionText },
  { header: 'State', cell: (operation) => <OperationState operation={operation} /> },
  { header: 'Result', isSecondary: true, cell: resultText },
  {
    header: 'Reason',
    isSecondary: true,
    cell: ({ reason }) => (
      <Text span inherit truncate maw={240} display="block" {...(reason !== null && { title: reason })}>
        {reason ?? '—'}
      </Text>
    ),
  },
  timeColumn('Started', ({ created_at }) => created_at, { format: 'relative' }),
];

/** The list of changes of many licenses. */
export default function BulkOperationsScreen() {
  const surface = useSurface();
  const [filters] = useFilters(bulkOperationsSearch);
  const query = useQuery(bulkOperationsQuery(surface, filters));
  return (
    <Page
      title="Bulk operations"
      description="Changes of many licenses at once. Follow their progress here, and undo them."
    >
      <DataTable
        caption="Bulk operations"
        columns={columns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/bulk-operations/${id}`)}
        skeletonRows={4}
        empty={{
          icon: ListChecks,
          title: 'No bulk operations yet',
          description:
            'Select licenses in their list, or all that match a filter, and extend, suspend or change them together. You review the changes before they are made, and you can undo them afterwards.',
          action: <SurfaceLink to="/licenses">Open the licenses</SurfaceLink>,
        }}
      />
    </Page>
  );
}
