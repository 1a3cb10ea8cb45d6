import { Select, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ChartNoAxesColumn } from 'lucide-react';
import { entitlementOptionsQuery } from '../../api/entitlements.ts';
import { toProblem } from '../../api/problem.ts';
import { type UsageBucket, usageQuery, usageSeriesQuery } from '../../api/usage.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { formatNumber, truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { LicenseFilter } from './LicenseFilter.tsx';
import { type UsageSearch, usageSearch } from './search.ts';
import { seriesOf } from './series.ts';

const intervals = [
  { value: 'hour', label: 'Per hour' },
  { value: 'day', label: 'Per day' },
  { value: 'week', label: 'Per week' },
  { value: 'month', label: 'Per month' },
] as const;

/** What licenses have used of metered entitlements, over time and one by one. */
export function UsageScreen() {
  const surface = useSurface();
  const [filters, change] = useFilters(usageSearch);
  const { data: entitlements = [] } = useQuery(entitlementOptionsQuery(surface, 'metered'));
  const isFiltered = filters.license_id !== undefined || filters.entitlement !== undefined;
  const reset = () => void change({ license_id: undefined, entitlement: undefined });
  const names = new Map(entitlements.map(({ code, name }) => [code, name]));
  return (
    <Page title="Usage" description="What licenses use of metered entitlements, as your software reports it.">
      <FilterBar isFiltered={isFiltered} onReset={reset}>
        <LicenseFilter value={filters.license_id} onChange={(license_id) => void change({ license_id })} />
        <SelectFilter
          label="Entitlement"
          options={entitlements.map(({ code, name }) => ({ value: code, label: name }))}
          value={filters.entitlement}
          onChange={(entitlement) => void change({ entitlement })}
        />
        <Select
          aria-label="Interval"
          data={intervals.map((interval) => ({ ...interval }))}
          value={filters.interval ?? 'day'}
          onChange={(interval) => void change({ interval: interval === 'day' ? undefined : (interval ?? undefined) })}
          allowDeselect={false}
          w={{ base: 'calc(50% - 4px)', xs: 140 }}
        />
      </FilterBar>
      <Charts filters={filters} names={names} />
      <UsageTable filters={filters} names={names} isFiltered={isFiltered} />
    </Page>
  );
}

interface PartProps {
  readonly filters: UsageSearch;
  /** The names of entitlements by code. */
  readonly names: ReadonlyMap<string, string>;
}

function Charts({ filters, names }: PartProps) {
  const surface = useSurface();
  const { cursor: _cursor, ...search } = filters;
  const query = useQuery(usageSeriesQuery(surface, search));
  if (query.error !== null && query.data === undefined) {
    return <ErrorState problem={toProblem(query.error)} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <Skeleton h={280} />;
  const series = seriesOf(query.data);
  return (
    <SimpleGrid cols={{ base: 1, md: series.length > 1 ? 2 : 1 }} spacing="md">
      {series.map(({ code, total, points }) => (
        <Section
          key={code}
          title={names.get(code) ?? code}
          actions={
            <Text size="md" fw={600} className="tabular">
              {formatNumber(total)}
            </Text>
          }
        >
          <TimeChart
            label={`Usage of ${names.get(code) ?? code} over time`}
            points={points}
            series={[{ name: 'quantity', label: names.get(code) ?? code, color: 'accent.6' }]}
            interval={filters.interval === 'hour' ? 'hour' : 'day'}
            height={200}
          />
        </Section>
      ))}
    </SimpleGrid>
  );
}

function UsageTable({ filters, names, isFiltered }: PartProps & { readonly isFiltered: boolean }) {
  const surface = useSurface();
  const query = useQuery(usageQuery(surface, filters));
  const columns: readonly Column<UsageBucket>[] = [
    {
      header: 'Time',
      cell: ({ bucket_start }) => (
        <TimeText value={bucket_start} format={filters.interval === 'hour' ? 'time' : 'date'} />
      ),
    },
    { header: 'Entitlement', cell: ({ entitlement }) => names.get(entitlement) ?? entitlement },
    {
      header: 'License',
      cell: ({ license_id }) => (
        <SurfaceLink to={`/licenses/${license_id}`} ff="monospace" size="sm">
          {truncateMiddle(license_id, 14)}
        </SurfaceLink>
      ),
    },
    { header: 'Quantity', cell: ({ quantity }) => formatNumber(quantity), align: 'right' },
  ];
  return (
    <DataTable
      caption="Usage per license"
      columns={columns}
      query={query}
      rowKey={({ bucket_start, license_id, entitlement }) => `${bucket_start} ${license_id} ${entitlement}`}
      empty={
        <EmptyState
          icon={ChartNoAxesColumn}
          title={isFiltered ? 'No usage matches' : 'No usage yet'}
          description={
            isFiltered
              ? 'Reset the filters to see other usage.'
              : 'When your software reports how much a license has used of a metered entitlement, it appears here.'
          }
        />
      }
    />
  );
}
