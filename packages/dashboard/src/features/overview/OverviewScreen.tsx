import { SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Overview, overviewQuery } from '../../api/overview.ts';
import { toProblem } from '../../api/problem.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { ExpiringLicenses } from './ExpiringLicenses.tsx';
import { FailingWebhooks } from './FailingWebhooks.tsx';
import { FirstLicense } from './FirstLicense.tsx';
import { OverviewTiles } from './OverviewTiles.tsx';
import { PlanLimits } from './PlanLimits.tsx';
import { defaultRange, overviewSearch, ranges } from './search.ts';
import { useIsGuideOpen } from './use-guide.ts';
import { ValidationsChart } from './ValidationsChart.tsx';
import { verdictSeries } from './verdict-series.ts';

/** The state of the tenant at a glance, and the first steps of a new tenant. */
export function OverviewScreen(): ReactNode {
  const surface = useSurface();
  const [{ range = defaultRange }, change] = useFilters(overviewSearch);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...overviewQuery(surface, ranges[range]),
    placeholderData: keepPreviousData,
  });
  if (data === undefined) {
    return (
      <Page title="Overview">
        {error === null ? (
          <OverviewSkeleton />
        ) : (
          <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  const validations = verdictSeries(data.validations);
  return (
    <Page title="Overview">
      <Guide overview={data} />
      <OverviewTiles overview={data} validations={validations} range={range} />
      <ValidationsChart
        validations={validations}
        range={range}
        isLoading={isPlaceholderData}
        onRange={(next) => void change({ range: next === defaultRange ? undefined : next }, { replace: true })}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap="md">
          <ExpiringLicenses overview={data} />
          <FailingWebhooks webhooks={data.failing_webhooks} />
        </Stack>
        <PlanLimits limits={data.limits} />
      </SimpleGrid>
    </Page>
  );
}

function Guide({ overview }: { readonly overview: Overview }) {
  const [{ start }, change] = useFilters(overviewSearch);
  const [isOpen, close] = useIsGuideOpen(overview.first_steps, start === true);
  if (!isOpen) return null;
  return (
    <FirstLicense
      steps={overview.first_steps}
      onClose={() => {
        close();
        void change({ start: undefined }, { replace: true });
      }}
    />
  );
}

function OverviewSkeleton() {
  return (
    <Stack gap="lg" aria-busy="true">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', xs: 'md' }}>
        {['licenses', 'expiring', 'activations', 'validations'].map((tile) => (
          <Skeleton key={tile} h={102} radius="md" />
        ))}
      </SimpleGrid>
      <Skeleton h={348} radius="md" />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Skeleton h={240} radius="md" />
        <Skeleton h={240} radius="md" />
      </SimpleGrid>
    </Stack>
  );
}
