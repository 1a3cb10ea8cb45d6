import { Box, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Figures, figuresQuery } from '../../api/overview.ts';
import { productChoicesQuery } from '../../api/tenant-catalog.ts';
import { ProductFilter } from '../../components/ChoiceInput.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { FilterBar } from '../../components/FilterBar.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { formatNumber } from '../../lib/text.ts';
import { formatUtcMonth } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { overviewSearch } from './search.ts';

const columns = [
  ['issued', 'New'],
  ['renewed', 'Renewed'],
  ['lost', 'Lost'],
  ['trials_started', 'Trials'],
  ['trials_converted', 'Bought'],
] as const;

const isEmpty = ({ months, seats }: Figures) =>
  seats.length === 0 && months.every((month) => columns.every(([name]) => (month[name] ?? 0) === 0));

/** What became of licenses and trials in each of the last months, and the active devices, of all products or of one. */
export function MonthFigures() {
  const surface = useSurface();
  const [{ product_id: productId }, , bar] = useFilters(overviewSearch, 'product_id');
  const { data: products = [] } = useQuery(productChoicesQuery(surface, '', 'all'));
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...figuresQuery(surface, productId === undefined ? {} : { product_id: productId }),
    placeholderData: keepPreviousData,
  });
  return (
    <Section
      title="By month"
      description="New, renewed and lost licenses, and the trials that applications started and customers bought."
    >
      {products.length > 1 && (
        <FilterBar filters={bar}>
          <ProductFilter />
        </FilterBar>
      )}
      {data === undefined ? (
        <QueryPlaceholder error={error} refetch={refetch} skeleton={320} />
      ) : (
        <Box aria-busy={isPlaceholderData} opacity={isPlaceholderData ? 0.6 : 1}>
          {isEmpty(data) ? (
            <Text c="dimmed">The figures begin with the first license.</Text>
          ) : (
            <FiguresTable figures={data} />
          )}
        </Box>
      )}
    </Section>
  );
}

function FiguresTable({ figures: { months, seats, timezone } }: { readonly figures: Figures }) {
  const isIncomplete = months.some(({ renewed }) => renewed === null);
  const devices = seats.map(({ product_name, seats: count }) => `${product_name} ${formatNumber(count)}`);
  return (
    <>
      <Table fz={{ base: 'xs', sm: 'md' }} horizontalSpacing={4} className="tabular">
        <caption className="visually-hidden">Licenses and trials by month</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Month</Table.Th>
            {columns.map(([name, label]) => (
              <Table.Th key={name} ta="right" w={{ sm: '16%' }}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {months.toReversed().map((month) => (
            <Table.Tr key={month.month}>
              <Table.Th scope="row" fw={400}>
                {formatUtcMonth(`${month.month}-01`)}
              </Table.Th>
              {columns.map(([name]) => (
                <Table.Td key={name} ta="right">
                  {month[name] === null ? '—' : formatNumber(month[name])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Hint mt="sm">
        {devices.length > 0 && `Active devices now: ${devices.join(', ')}. `}
        Months of the timezone {timezone}.{isIncomplete && ' A dash: the audit records of that month were removed.'}
      </Hint>
    </>
  );
}
