import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Connection, connectionsQuery } from '../../api/connections.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Plus, ShoppingCart } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { connectionsSearch } from './search.ts';
import { shops } from './shops.ts';
import { shownStatus } from './words.ts';

const columns: readonly Column<Connection>[] = [
  {
    header: 'Connection',
    cell: ({ name, provider }) => {
      const { icon: Icon, name: shop } = shops[provider];
      return (
        <Group gap="xs" wrap="nowrap">
          <Icon size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
          <Stack gap={0} maw={{ base: 150, sm: 420 }}>
            <Text span inherit truncate title={name}>
              {name}
            </Text>
            {name !== shop && (
              <Text span size="xs" c="dimmed" fw={400}>
                {shop}
              </Text>
            )}
          </Stack>
        </Group>
      );
    },
  },
  { header: 'Status', cell: (row) => <ConnectionStatus connection={row} /> },
  timeColumn('Last message', ({ last_event_at }) => last_event_at, {
    format: 'relative',
    fallback: 'None yet',
    isSecondary: true,
  }),
  timeColumn('Created', ({ created_at }) => created_at, { format: 'date', isSecondary: true }),
];

/** The status of a connection: active, with problems, incomplete or disabled. */
export function ConnectionStatus({ connection }: { readonly connection: Connection }) {
  const status = shownStatus(connection);
  if (status === 'problems') {
    return <StatusBadge status="problems" tone="warning" label={count(connection.problems_count, 'problem')} />;
  }
  return <StatusBadge status={status} />;
}

/** The list of a tenant's connections to shops. */
export default function ConnectionsScreen() {
  const surface = useSurface();
  const [filters] = useFilters(connectionsSearch);
  const query = useQuery(connectionsQuery(surface, filters));
  const button = allows(surface, 'connections', 'create') && (
    <Button
      component={PathLink}
      to={pathOn(surface, '/connections/new')}
      leftSection={<Plus size={16} aria-hidden="true" />}
    >
      Connect a shop
    </Button>
  );
  return (
    <Page
      title="Shops"
      description="Each sale in your shop issues a license. A renewal extends it, and a refund ends it."
      actions={button}
    >
      <DataTable
        caption="Shop connections"
        columns={columns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/connections/${id}`)}
        skeletonRows={4}
        empty={{
          icon: ShoppingCart,
          title: 'No shop is connected yet',
          description:
            'Connect Stripe, Paddle, Lemon Squeezy, Polar, Gumroad or your own shop in three steps. Each sale then issues its license and emails it to the customer.',
          action: button,
        }}
      />
    </Page>
  );
}
