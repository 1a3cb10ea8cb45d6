import { SegmentedControl, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Metrics, metricsQuery, type Range, ranges } from '../../api/metrics.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { formatMoney, formatShare } from '../../lib/text.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { PlatformDemoBanner } from '../demo-data/DemoBanner.tsx';
import { Figures } from './Figures.tsx';
import { RangeControl } from './RangeControl.tsx';
import { homeSearch } from './search.ts';

/** The state of the platform at a glance. */
export default function AdminHomeScreen(): ReactNode {
  const [{ range = '30d', currency }, change] = useFilters(homeSearch);
  const { data: metrics, error, refetch } = useQuery(metricsQuery(range));
  return (
    <Page
      title="Home"
      description="An overview of the platform. Figures cover all nodes and are at most one second old."
      actions={<RangeControl value={range} onChange={(next) => void change({ range: next })} />}
    >
      <PlatformDemoBanner />
      {metrics === undefined && <QueryPlaceholder error={error} refetch={refetch} skeleton={<HomeSkeleton />} />}
      {metrics !== undefined && (
        <>
          <Figures metrics={metrics} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
            <RevenueChart
              series={metrics.mrr_series}
              currency={currency}
              onCurrency={(next) => void change({ currency: next })}
            />
            <ActivityCharts metrics={metrics} range={range} />
          </SimpleGrid>
        </>
      )}
    </Page>
  );
}

function HomeSkeleton() {
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        {['tenants', 'revenue', 'validations', 'errors', 'past-due', 'jobs', 'mails', 'webhooks'].map((figure) => (
          <Skeleton key={figure} h={104} />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        {['revenue', 'validations', 'errors', 'webhooks'].map((chart) => (
          <Skeleton key={chart} h={318} />
        ))}
      </SimpleGrid>
    </>
  );
}

function ActivityCharts({ metrics, range }: { readonly metrics: Metrics; readonly range: Range }) {
  const { interval, label } = ranges[range];
  const description = `Last ${label}, per ${interval}.`;
  const points = metrics.series.map((bucket) => ({
    start: bucket.bucket_start,
    validations: bucket.validations,
    succeeded: bucket.webhook_attempts_succeeded,
    failed: bucket.webhook_attempts_failed,
  }));
  // An hour without requests has no error rate.
  const rates = metrics.series.flatMap(({ bucket_start: start, error_rate: rate }) =>
    rate === null ? [] : [{ start, errors: rate }],
  );
  const shared = { points, interval, height: 220 } as const;
  return (
    <>
      <Section title="Validations" description={description}>
        <TimeChart
          {...shared}
          label="Validations over time"
          series={[{ name: 'validations', label: 'Validations', color: 'accent.6' }]}
        />
      </Section>
      <Section
        title="Error rate"
        description={`${description} Responses that failed in the service, of all requests. Requests that it refuses do not count.`}
      >
        <TimeChart
          {...shared}
          points={rates}
          kind="area"
          label="Error rate over time"
          series={[{ name: 'errors', label: 'Error rate', color: 'red.6' }]}
          formatValue={(rate) => formatShare(rate)}
          isCount={false}
        />
      </Section>
      <Section title="Webhook attempts" description={description}>
        <TimeChart
          {...shared}
          label="Webhook attempts over time"
          series={[
            { name: 'succeeded', label: 'Succeeded', color: 'teal.6' },
            { name: 'failed', label: 'Failed', color: 'red.6' },
          ]}
        />
      </Section>
    </>
  );
}

interface RevenueChartProps {
  readonly series: Metrics['mrr_series'];
  readonly currency: string | undefined;
  readonly onCurrency: (currency: string) => void;
}

/** The monthly recurring revenue of each recorded day, one currency at a time, because currencies cannot be added. */
function RevenueChart({ series, currency, onCurrency }: RevenueChartProps) {
  const currencies = [...new Set(series.map((day) => day.currency))];
  const shown = currencies.find((one) => one === currency) ?? currencies[0];
  const points = series
    .filter((day) => day.currency === shown)
    .map(({ day_start, amount }) => ({ start: day_start, amount }));
  return (
    <Section
      title="Monthly recurring revenue"
      description="Revenue after lasting discounts, excluding trials. It is recorded once a day. Today's value is current."
      actions={
        currencies.length > 1 && (
          <SegmentedControl
            aria-label="Currency"
            size="xs"
            data={currencies.map((one) => ({ value: one, label: one.toUpperCase() }))}
            value={shown ?? ''}
            onChange={onCurrency}
          />
        )
      }
    >
      {shown === undefined ? (
        <Text c="dimmed" h={220}>
          There are no subscriptions yet.
        </Text>
      ) : (
        <TimeChart
          label={`Monthly recurring revenue in ${shown.toUpperCase()}`}
          kind="area"
          interval="day"
          height={220}
          points={points}
          series={[{ name: 'amount', label: 'Revenue', color: 'accent.6' }]}
          formatValue={(amount) => formatMoney(amount, shown)}
        />
      )}
    </Section>
  );
}
