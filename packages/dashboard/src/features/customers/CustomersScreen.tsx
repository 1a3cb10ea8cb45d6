import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Customer, customersQuery } from '../../api/customers.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SearchFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { ContactRound } from '../../icons/icons.gen.ts';
import { formatNumber } from '../../lib/text.ts';
import { pathOn } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { customersSearch } from './search.ts';

const columns: readonly Column<Customer>[] = [
  {
    header: 'Customer',
    cell: ({ email, name }) => (
      <Stack gap={0} style={{ minWidth: 0 }}>
        <Text span inherit fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name ?? email}
        </Text>
        {name !== null && (
          <Text span size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {email}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    header: 'Active licenses',
    align: 'right',
    cell: ({ active_licenses_count: active, licenses_count: all }) => (
      <span className="tabular">
        {formatNumber(active)} of {formatNumber(all)}
      </span>
    ),
  },
  {
    header: 'Devices',
    align: 'right',
    isSecondary: true,
    cell: (row) => <span className="tabular">{formatNumber(row.active_activations_count)}</span>,
  },
  timeColumn('Last validated', (row) => row.last_validated_at, {
    format: 'relative',
    fallback: 'Never',
    isSecondary: true,
  }),
  timeColumn('Last mail', (row) => row.last_mail_at, { format: 'relative', fallback: 'Never', isSecondary: true }),
];

/** The holders of licenses, by their address. */
export default function CustomersScreen() {
  const surface = useSurface();
  const [filters, , bar] = useFilters(customersSearch, 'q');
  const query = useQuery(customersQuery(surface, filters));
  return (
    <Page
      title="Customers"
      description="The people who hold your licenses. Licenses with the same email address belong to one customer."
    >
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search name, email or key" />
      </FilterBar>
      <DataTable
        caption="Customers"
        columns={columns}
        query={query}
        rowKey={({ email }) => email}
        rowPath={({ email }) => pathOn(surface, `/customers/${encodeURIComponent(email)}`)}
        empty={{
          icon: ContactRound,
          title: 'No customers yet',
          description: 'A customer appears here when you issue the first license with the customer’s email address.',
          noMatch: bar.isFiltered && {
            title: 'No customer matches',
            description: 'Search for another name, address or license key.',
          },
        }}
      />
    </Page>
  );
}
