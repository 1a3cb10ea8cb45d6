import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { deliveriesQuery, type WebhookDeliverySummary, type WebhookEndpoint } from '../../api/webhooks.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Send } from '../../icons/icons.gen.ts';
import { pathOn } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { eventTypes } from './event-types.ts';
import { outcomeText } from './health.ts';
import { webhookSearch } from './search.ts';

const columns: readonly Column<WebhookDeliverySummary>[] = [
  {
    header: 'Event',
    cell: ({ event_type }) => (
      <Text span ff="monospace" size="sm">
        {event_type}
      </Text>
    ),
  },
  { header: 'Status', cell: (row) => <DeliveryStatus delivery={row} hasAttempts={row.last_attempt !== null} /> },
  {
    header: 'Last attempt',
    cell: (row) => (row.last_attempt === null ? noAttemptText(row) : outcomeText(row.last_attempt)),
    isSecondary: true,
  },
  timeColumn('Next attempt', ({ next_attempt_at }) => next_attempt_at, { format: 'relative', isSecondary: true }),
  timeColumn('Created', ({ created_at }) => created_at, { format: 'relative', align: 'right' }),
];

function noAttemptText({ status }: WebhookDeliverySummary): string {
  return status === 'pending' ? 'None yet' : 'Never sent';
}

/** The deliveries to an endpoint, newest first. New ones appear by themselves. */
export function DeliveryList({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const surface = useSurface();
  const [{ tab: _tab, panel: _panel, ...filters }, , bar] = useFilters(webhookSearch, 'status', 'event_type');
  const query = useQuery(deliveriesQuery(surface, { webhook_id: endpoint.id, ...filters }));
  return (
    <Stack gap="md">
      <FilterBar filters={bar}>
        <SelectFilter name="status" label="Status" options={['pending', 'succeeded', 'failed']} />
        <SelectFilter
          name="event_type"
          label="Event type"
          options={eventTypes.map((type) => ({ value: type, label: type }))}
          isSearchable
        />
      </FilterBar>
      <DataTable
        caption="Deliveries"
        columns={columns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/webhook-deliveries/${id}`)}
        skeletonRows={5}
        empty={{
          icon: Send,
          title: 'Nothing sent yet',
          description: 'Send a test event to check that your server accepts it, or create a license.',
          noMatch: bar.isFiltered && { title: 'No deliveries match', description: 'Change the filters or reset them.' },
        }}
      />
    </Stack>
  );
}

interface DeliveryStatusProps {
  readonly delivery: Pick<WebhookDeliverySummary, 'status'>;
  readonly hasAttempts: boolean;
}

/** The status of a delivery; one that waits for a further attempt is "Retrying". */
export function DeliveryStatus({ delivery, hasAttempts }: DeliveryStatusProps) {
  const isRetrying = delivery.status === 'pending' && hasAttempts;
  return <StatusBadge status={isRetrying ? 'retrying' : delivery.status} />;
}
