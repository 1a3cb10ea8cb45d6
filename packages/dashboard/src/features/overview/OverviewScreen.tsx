import { Box, Center, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { type Overview, overviewQuery } from '../../api/overview.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { count, formatNumber, truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allowsReading } from '../../surfaces.ts';
import { FirstLicense } from './FirstLicense.tsx';
import { MonthFigures } from './MonthFigures.tsx';
import { OverviewTiles } from './OverviewTiles.tsx';
import { PlanLimits } from './PlanLimits.tsx';
import { defaultRange, overviewSearch, type RangeName, rangeNames, ranges } from './search.ts';
import { TrialFigures } from './TrialFigures.tsx';
import { type VerdictSeries, verdictSeries } from './verdict-series.ts';

/** The state of the tenant at a glance, and the first steps of a new tenant. */
export default function OverviewScreen(): ReactNode {
  // The overview is the first screen, also for a role that may not read it.
  if (!allowsReading(useSurface(), 'overview')) return <Navigate to="/licenses" replace />;
  return <TenantOverview />;
}

function TenantOverview() {
  const surface = useSurface();
  const [{ range = defaultRange }, change] = useFilters(overviewSearch);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...overviewQuery(surface, ranges[range]),
    placeholderData: keepPreviousData,
  });
  if (data === undefined) {
    return <UnloadedPage title="Overview" error={error} refetch={refetch} skeleton={<OverviewSkeleton />} />;
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
          <TrialFigures trials={data.trials} />
          {data.has_webhooks && <FailingWebhooks webhooks={data.failing_webhooks} />}
        </Stack>
        <PlanLimits limits={data.limits} />
      </SimpleGrid>
      <MonthFigures />
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

/**
 * Returns whether the guide to the first license is open, and a function that closes it. It is open until the first
 * validation, stays open afterwards so that the person sees the last tick, and opens again by link.
 */
function useIsGuideOpen(steps: Overview['first_steps'], isAskedFor: boolean): readonly [boolean, () => void] {
  const [isOpen, setOpen] = useState(isAskedFor || !steps.validation);
  useEffect(() => {
    if (isAskedFor || !steps.validation) setOpen(true);
  }, [isAskedFor, steps.validation]);
  return [isOpen, () => setOpen(false)];
}

/** The licenses that expire first. */
function ExpiringLicenses({ overview }: { readonly overview: Overview }) {
  const { expiring_licenses: licenses, expiring_soon_days: days } = overview;
  return (
    <Section title="Expiring next">
      {licenses.length === 0 ? (
        <Text c="dimmed">No active license expires within {count(days, 'day')}.</Text>
      ) : (
        <Stack component="ul" gap={12} m={0} p={0} style={{ listStyle: 'none' }}>
          {licenses.map(({ id, key, holder_name: holder, product_name: product, expires_at: expiresAt }) => (
            <Group component="li" key={id} justify="space-between" wrap="nowrap" gap="sm">
              <Stack gap={0} style={{ minWidth: 0 }}>
                <SurfaceLink to={`/licenses/${id}`} size="md" truncate {...(holder === null && { ff: 'monospace' })}>
                  {holder ?? truncateMiddle(key, 20)}
                </SurfaceLink>
                <Hint truncate>{product}</Hint>
              </Stack>
              <Text component="div" style={{ flexShrink: 0 }}>
                <TimeText value={expiresAt} format="relative" />
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  );
}

type FailingWebhook = Overview['failing_webhooks'][number];

const reasons: Readonly<Record<string, string>> = {
  gone: 'It answered 410 Gone, so the service stopped sending.',
  failing: 'It failed for a day, so the service stopped sending.',
};

function explain(webhook: FailingWebhook): string {
  const { disabled_reason: reason, failed_deliveries: failed, retrying_deliveries: retrying } = webhook;
  if (reason !== null) return reasons[reason] ?? 'The service stopped sending.';
  const failedText = failed > 0 ? [`${count(failed, 'delivery', 'deliveries')} failed in 24 hours`] : [];
  const retryingText = retrying > 0 ? [`${formatNumber(retrying)} retrying`] : [];
  return [...failedText, ...retryingText].join(', ') || 'Its last delivery failed.';
}

/** Returns what identifies an endpoint at a glance; queries of webhook URLs often contain a secret. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : `${host}${pathname}`;
}

/** The webhook endpoints that need attention. */
function FailingWebhooks({ webhooks }: { readonly webhooks: readonly FailingWebhook[] }) {
  return (
    <Section title="Failing webhooks">
      {webhooks.length === 0 ? (
        <Text c="dimmed">All webhook endpoints receive their events.</Text>
      ) : (
        <Stack component="ul" gap={12} m={0} p={0} style={{ listStyle: 'none' }}>
          {webhooks.map((webhook) => (
            <Group component="li" key={webhook.id} justify="space-between" wrap="nowrap" gap="sm">
              <Stack gap={0} style={{ minWidth: 0 }}>
                <SurfaceLink to={`/webhook-endpoints/${webhook.id}`} size="md" truncate>
                  {nameOf(webhook.url)}
                </SurfaceLink>
                <Hint>{explain(webhook)}</Hint>
              </Stack>
              <StatusBadge
                status={webhook.status === 'disabled' ? 'disabled' : 'failed'}
                label={webhook.status === 'disabled' ? 'Disabled' : 'Failing'}
              />
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  );
}

interface ValidationsChartProps {
  readonly validations: VerdictSeries;
  readonly range: RangeName;
  /** Whether the figures still belong to another range. */
  readonly isLoading: boolean;
  readonly onRange: (range: RangeName) => void;
}

const heightPx = 260;

/** The validations of a range by the code of their verdict. */
function ValidationsChart({ validations, range, isLoading, onRange }: ValidationsChartProps) {
  const { points, series, total } = validations;
  return (
    <Section
      title="Validations"
      description="How the service answered your applications."
      actions={
        <SegmentedControl
          aria-label="Range"
          size="xs"
          value={range}
          data={rangeNames.map((value) => ({ value, label: ranges[value].label }))}
          onChange={(value) => onRange(rangeNames.find((name) => name === value) ?? range)}
        />
      }
    >
      <Box aria-busy={isLoading} opacity={isLoading ? 0.6 : 1} mih={heightPx}>
        {total === 0 ? (
          <Center h={heightPx}>
            <Text c="dimmed" ta="center" maw={380}>
              Nothing was validated in this period. Validations by your applications appear here within a second.
            </Text>
          </Center>
        ) : (
          <TimeChart
            label="Validations by verdict"
            points={points}
            series={series}
            interval={ranges[range].interval}
            height={heightPx}
          />
        )}
      </Box>
    </Section>
  );
}
