import { SegmentedControl, Text } from '@mantine/core';
import type { Metrics } from '../../api/metrics.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { Section } from '../../components/Section.tsx';
import { formatMoney } from '../../lib/text.ts';

interface RevenueChartProps {
  readonly series: Metrics['mrr_series'];
  readonly currency: string | undefined;
  readonly onCurrency: (currency: string) => void;
}

/** The monthly recurring revenue of each recorded day, one currency at a time, because currencies cannot be added. */
export function RevenueChart({ series, currency, onCurrency }: RevenueChartProps) {
  const currencies = [...new Set(series.map((day) => day.currency))];
  const shown = currencies.find((one) => one === currency) ?? currencies[0];
  const points = series
    .filter((day) => day.currency === shown)
    .map(({ day_start, amount }) => ({ start: day_start, amount }));
  return (
    <Section
      title="Monthly recurring revenue"
      description="After lasting discounts, without trials. Recorded once a day; today's value is current."
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
          There is no subscription yet.
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
