import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { commerceKey, type PaymentEvent, paymentEventsQuery, replayPaymentEvent } from '../../api/commerce.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SearchFilter } from '../../components/FilterBar.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { Webhook } from '../../icons/icons.gen.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { billingAdminSearch } from './search.ts';

/** The events that the payment provider sent. A replay reads the object at the provider again. */
export function PaymentEventsTab({ mayWrite }: { readonly mayWrite: boolean }) {
  const [{ type, provider_subscription_id, cursor }, , bar] = useFilters(
    billingAdminSearch,
    'type',
    'provider_subscription_id',
  );
  const query = useQuery(
    paymentEventsQuery({
      ...(type && { type }),
      ...(provider_subscription_id && { provider_subscription_id }),
      ...(cursor && { cursor }),
    }),
  );
  const columns: Column<PaymentEvent>[] = [
    {
      header: 'Event',
      cell: (event) => (
        <Text ff="monospace" size="sm">
          {event.type}
        </Text>
      ),
    },
    {
      header: 'Subscription',
      cell: ({ provider_subscription_id: id }) =>
        id === null ? '—' : <CopyableText value={id} label="subscription ID" maxLength={18} />,
      isSecondary: true,
    },
    timeColumn('Happened', ({ created_at }) => created_at, { isSecondary: true }),
    timeColumn('Received', ({ received_at }) => received_at, { format: 'relative' }),
    timeColumn('Replayed', ({ replayed_at }) => replayed_at, {
      format: 'relative',
      fallback: 'Never',
      isSecondary: true,
    }),
    ...(mayWrite ? [actionsColumn((event: PaymentEvent) => <ReplayButton event={event} />)] : []),
  ];
  return (
    <Stack gap="sm">
      <FilterBar filters={bar}>
        <SearchFilter name="type" label="Event type, such as invoice.paid" />
        <SearchFilter name="provider_subscription_id" label="Subscription ID at the provider" />
      </FilterBar>
      <DataTable
        caption="Provider events"
        columns={columns}
        query={query}
        empty={{
          icon: Webhook,
          title: bar.isFiltered ? 'No events match the filters' : 'No events yet',
          description:
            'Each change of a subscription, an invoice or a checkout that the payment provider reports appears here.',
        }}
      />
    </Stack>
  );
}

function ReplayButton({ event }: { readonly event: PaymentEvent }) {
  const { mutate, isPending } = useAction({ run: () => replayPaymentEvent(event.id), invalidates: [commerceKey] });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isPending}
      aria-label={`Replay ${event.type}`}
      onClick={() => mutate(undefined, { onError: showProblem })}
    >
      Replay
    </Button>
  );
}
