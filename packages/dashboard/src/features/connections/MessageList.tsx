import { Stack, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Connection } from '../../api/connections.ts';
import { eventsQuery, type SaleEvent } from '../../api/sales.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Inbox } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { EffectList } from './EffectList.tsx';
import { MessageDetails } from './MessageDetails.tsx';
import { MessageState } from './MessageState.tsx';
import { connectionSearch, eventStates } from './search.ts';
import { shops } from './shops.ts';

function columns(onOpen: (id: string) => void): readonly Column<SaleEvent>[] {
  return [
    {
      header: 'Message',
      cell: ({ id, type }) => (
        <UnstyledButton onClick={() => onOpen(id)} aria-haspopup="dialog" fz="sm" ff="monospace" td="underline">
          {type}
        </UnstyledButton>
      ),
    },
    { header: 'State', cell: (event) => <MessageState event={event} /> },
    { header: 'What it did', cell: (event) => <EffectList event={event} isShort />, isSecondary: true },
    timeColumn('Received', ({ received_at }) => received_at, { format: 'relative', align: 'right', isSecondary: true }),
  ];
}

/** The messages of a shop, newest first, with what each did. New ones appear by themselves. */
export function MessageList({ connection }: { readonly connection: Connection }) {
  const [{ state, cursor, event }, change, bar] = useFilters(connectionSearch, 'state');
  const chosen = eventStates.find((one) => one === state);
  const query = useQuery(
    eventsQuery(useSurface(), connection.id, {
      ...(chosen !== undefined && { state: chosen }),
      ...(cursor !== undefined && { cursor }),
    }),
  );
  return (
    <Stack gap="md">
      <FilterBar filters={bar}>
        <SelectFilter
          name="state"
          label="State"
          options={[
            { value: 'pending', label: 'Pending' },
            { value: 'applied', label: 'Applied' },
            { value: 'nothing', label: 'Nothing to do' },
            { value: 'failed', label: 'Failed' },
          ]}
        />
      </FilterBar>
      <DataTable
        caption="Messages"
        columns={columns((id) => void change({ event: id, cursor }))}
        query={query}
        skeletonRows={5}
        empty={{
          icon: Inbox,
          title: 'No message yet',
          description:
            connection.provider === 'custom'
              ? 'Send a test sale with the button above, or a message of your own shop. It appears here within a second.'
              : `As soon as ${shops[connection.provider].name} reports a sale, it appears here. Its own dashboard can send a test message too.`,
          noMatch: chosen !== undefined && {
            title: 'No such message',
            description: 'No message of this shop has this state.',
          },
        }}
      />
      <Panel
        title="Message"
        isOpen={event !== undefined}
        onClose={() => void change({ event: undefined, cursor })}
        size="lg"
      >
        {event !== undefined && <MessageDetails connection={connection} id={event} />}
      </Panel>
    </Stack>
  );
}
