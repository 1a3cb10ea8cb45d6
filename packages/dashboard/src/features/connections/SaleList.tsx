import { Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Connection } from '../../api/connections.ts';
import { type Sale, salesQuery } from '../../api/sales.ts';
import { actionsColumn, type Column, DataTable } from '../../components/DataTable.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { Panel } from '../../components/Panel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { ShoppingCart } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { SaleDetails } from './SaleDetails.tsx';
import { SaleProblemActions, SaleProblemText } from './SaleProblem.tsx';
import { connectionSearch, saleProblems, saleStates } from './search.ts';
import { shops } from './shops.ts';
import { buyerName, isTestSale, problemText } from './words.ts';

function columns(connection: Connection, onOpen: (id: string) => void): readonly Column<Sale>[] {
  return [
    { header: 'Customer', cell: (sale) => <Buyer sale={sale} onOpen={() => onOpen(sale.id)} /> },
    {
      header: 'State',
      cell: (sale) =>
        sale.problem === null ? (
          <StatusBadge status={sale.state} />
        ) : (
          <StatusBadge status={sale.problem.code} label={problemText(sale.problem.code)} tone="warning" />
        ),
    },
    { header: 'Licenses', cell: (sale) => <Licenses sale={sale} />, isSecondary: true },
    {
      header: 'Paid until',
      cell: ({ kind, paid_until }) =>
        kind === 'one_time' ? 'Once' : <TimeText value={paid_until} format="last-day" fallback="—" />,
      isSecondary: true,
    },
    { header: 'Problem', cell: (sale) => <SaleProblemText sale={sale} />, isSecondary: true },
    actionsColumn((sale) => <SaleProblemActions connection={connection} sale={sale} />, { isSecondary: true }),
  ];
}

function Buyer({ sale, onOpen }: { readonly sale: Sale; readonly onOpen: () => void }) {
  const { buyer, external_id } = sale;
  const name = buyerName(buyer);
  const address = buyer.email !== null && buyer.email !== name ? buyer.email : external_id;
  const second = isTestSale(sale) ? `Test sale · ${address}` : address;
  return (
    <Stack gap={0} maw={{ base: 130, xs: 220 }}>
      <UnstyledButton onClick={onOpen} aria-haspopup="dialog" fz="md" fw={500} td="underline" className="truncate">
        {name}
      </UnstyledButton>
      <Text span size="xs" c="dimmed" truncate title={second}>
        {second}
      </Text>
    </Stack>
  );
}

function Licenses({ sale: { license_ids, problem } }: { readonly sale: Sale }) {
  const [only] = license_ids;
  if (only === undefined) return problem === null ? 'None' : 'Waits';
  if (license_ids.length > 1) return count(license_ids.length, 'license');
  return <SurfaceLink to={`/licenses/${only}`}>License</SurfaceLink>;
}

/** What was bought in a shop, newest first. */
export function SaleList({ connection }: { readonly connection: Connection }) {
  const [{ state, problem, q, cursor, sale }, change, bar] = useFilters(connectionSearch, 'state', 'problem', 'q');
  const chosen = saleStates.find((one) => one === state);
  const query = useQuery(
    salesQuery(useSurface(), connection.id, {
      ...(chosen !== undefined && { state: chosen }),
      ...(problem !== undefined && { problem }),
      ...(q !== undefined && { q }),
      ...(cursor !== undefined && { cursor }),
    }),
  );
  return (
    <Stack gap="md">
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search customers and IDs" />
        <SelectFilter name="state" label="State" options={saleStates} />
        <SelectFilter
          name="problem"
          label="Problem"
          options={saleProblems.map((value) => ({ value, label: problemText(value) }))}
        />
      </FilterBar>
      <DataTable
        caption="Sales"
        columns={columns(connection, (id) => void change({ sale: id, cursor }))}
        query={query}
        skeletonRows={5}
        empty={{
          icon: ShoppingCart,
          title: 'Nothing sold yet',
          description:
            connection.provider === 'custom'
              ? 'Send a test sale with the button above: you see the message, the license, the mail and the customer’s page.'
              : `Sales of ${shops[connection.provider].name} appear here with their licenses. With an API key, “Compare now” brings in those of before.`,
          noMatch: bar.isFiltered && {
            title: 'No such sale',
            description: 'No sale of this shop matches the filters.',
          },
        }}
      />
      <Panel
        title="Sale"
        isOpen={sale !== undefined}
        onClose={() => void change({ sale: undefined, cursor })}
        size="lg"
      >
        {sale !== undefined && <SaleDetails connection={connection} id={sale} />}
      </Panel>
    </Stack>
  );
}
