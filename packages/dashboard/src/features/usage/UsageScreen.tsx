import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { licenseOptionsQuery } from '../../api/licenses.ts';
import { entitlementOptionsQuery } from '../../api/tenant-catalog.ts';
import { type UsageBucket, type UsagePoint, usageQuery, usageSeriesQuery } from '../../api/usage.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { FilterBar, SelectFilter, useFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { ChartNoAxesColumn } from '../../icons/icons.gen.ts';
import { formatNumber, truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { type UsageSearch, usageSearch } from './search.ts';

const intervals = [
  { value: 'hour', label: 'Per hour' },
  { value: 'day', label: 'Per day' },
  { value: 'week', label: 'Per week' },
  { value: 'month', label: 'Per month' },
] as const;

/** What licenses have used of metered entitlements, over time and one by one. */
export default function UsageScreen() {
  const surface = useSurface();
  const [filters, change, bar] = useFilters(usageSearch, 'license_id', 'entitlement', 'from', 'to');
  const { data: entitlements = [] } = useQuery(entitlementOptionsQuery(surface, 'metered'));
  const { from, to } = filters;
  const names = new Map(entitlements.map(({ code, name }) => [code, name]));
  return (
    <Page title="Usage" description="How much each license uses of its metered entitlements.">
      <FilterBar filters={bar}>
        <LicenseFilter />
        <SelectFilter
          name="entitlement"
          label="Entitlement"
          options={entitlements.map(({ code, name }) => ({ value: code, label: name }))}
        />
        <Select
          aria-label="Interval"
          data={intervals.map((interval) => ({ ...interval }))}
          value={filters.interval ?? 'day'}
          onChange={(interval) => void change({ interval: interval === 'day' ? undefined : (interval ?? undefined) })}
          allowDeselect={false}
          w={{ base: 'calc(50% - 4px)', xs: 140 }}
        />
        <DayFilter name="from" label="From" max={to} />
        <DayFilter name="to" label="To" min={from} />
      </FilterBar>
      <Charts filters={filters} names={names} />
      <UsageTable filters={filters} names={names} isFiltered={bar.isFiltered} />
    </Page>
  );
}

interface DayFilterProps {
  readonly name: 'from' | 'to';
  readonly label: string;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** A day that limits the time of a list. */
function DayFilter({ name, label, ...limits }: DayFilterProps) {
  const [value, change] = useFilter(name);
  return (
    <TextInput
      type="date"
      aria-label={label}
      leftSection={<Text size="sm">{label}</Text>}
      leftSectionWidth={48}
      value={value ?? ''}
      onChange={({ currentTarget }) => change(currentTarget.value || undefined)}
      w={{ base: 'calc(50% - 4px)', xs: 190 }}
      {...limits}
    />
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
  if (query.data === undefined) return <QueryPlaceholder error={query.error} refetch={query.refetch} skeleton={280} />;
  const series = seriesOf(query.data);
  return (
    <SimpleGrid cols={{ base: 1, md: series.length > 1 ? 2 : 1 }} spacing="md">
      {series.map(({ code, total, points }) => (
        <Section
          key={code}
          title={names.get(code) ?? code}
          actions={
            <Text fw={600} className="tabular">
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
    timeColumn('Time', ({ bucket_start }) => bucket_start, { format: filters.interval === 'hour' ? 'time' : 'date' }),
    { header: 'Entitlement', cell: ({ entitlement }) => names.get(entitlement) ?? entitlement },
    {
      header: 'License',
      cell: ({ license_id, license_name }) => (
        <SurfaceLink to={`/licenses/${license_id}`} size="sm">
          {license_name}
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
      empty={{
        icon: ChartNoAxesColumn,
        title: isFiltered ? 'No usage matches' : 'No usage yet',
        description: isFiltered
          ? 'Reset the filters to see other usage.'
          : 'Usage appears here when your software reports it for a metered entitlement.',
      }}
    />
  );
}

/** A filter for one license, which the service finds by key, holder or reference. */
function LicenseFilter() {
  const [value, change] = useFilter('license_id');
  const surface = useSurface();
  const [typed, setTyped] = useState('');
  const [words] = useDebouncedValue(typed.includes('·') ? '' : typed.trim(), 250);
  const { data } = useQuery(licenseOptionsQuery(surface, words === '' ? {} : { q: words }));
  const options = (data?.data ?? []).map(({ id, key, holder }) => ({
    value: id,
    label: `${holder.name ?? holder.email ?? 'No customer'} · ${truncateMiddle(key, 14)}`,
  }));
  const isListed = value === undefined || options.some((one) => one.value === value);
  return (
    <Select
      aria-label="License"
      placeholder="License"
      data={isListed ? options : [{ value, label: `License ${truncateMiddle(value, 12)}` }, ...options]}
      value={value ?? null}
      onChange={(next) => change(next ?? undefined)}
      searchable
      onSearchChange={setTyped}
      // The service has searched already.
      filter={({ options: all }) => all}
      nothingFoundMessage="No license matches"
      clearable
      clearButtonProps={{ 'aria-label': 'Clear License' }}
      w={{ base: '100%', xs: 240 }}
    />
  );
}

/** The usage of one entitlement over time. */
interface EntitlementSeries {
  readonly code: string;
  readonly total: number;
  readonly points: readonly { readonly start: string; readonly quantity: number }[];
}

/** Returns one series per entitlement, with a point for every bucket, the most used first. */
function seriesOf(points: readonly UsagePoint[]): EntitlementSeries[] {
  const codes = new Set(points.flatMap(({ entitlements }) => entitlements.map(({ code }) => code)));
  const series = [...codes].map((code) => {
    const own = points.map(({ bucket_start: start, entitlements }) => ({
      start,
      quantity: entitlements.find((one) => one.code === code)?.quantity ?? 0,
    }));
    return { code, total: own.reduce((sum, { quantity }) => sum + quantity, 0), points: own };
  });
  return series.sort((one, other) => other.total - one.total || (one.code < other.code ? -1 : 1));
}
