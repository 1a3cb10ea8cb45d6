import { Text } from '@mantine/core';
import type { Overview } from '../../api/overview.ts';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { count, formatNumber, formatShare } from '../../lib/text.ts';

const hourSeconds = 3600;
const daySeconds = 86_400;

function duration(seconds: number): string {
  if (seconds < hourSeconds) return count(Math.max(1, Math.round(seconds / 60)), 'minute');
  if (seconds < 2 * daySeconds) return count(Math.round(seconds / hourSeconds), 'hour');
  return count(Math.round(seconds / daySeconds), 'day');
}

/** The trials that applications started, and how many were bought. Nothing for a tenant without any. */
export function TrialFigures({ trials }: { readonly trials: Overview['trials'] }) {
  const { started, converted, conversion_rate: rate, median_seconds_to_conversion: median, days } = trials;
  if (started === 0) return null;
  return (
    <Section title="Trials" description={`Started without a key in the last ${days} days.`}>
      <Facts
        cols={3}
        items={[
          { label: 'Started', value: formatNumber(started) },
          {
            label: 'Converted',
            value: (
              <>
                {formatNumber(converted)}{' '}
                <Text span size="sm" c="dimmed">
                  ({formatShare(rate ?? 0)})
                </Text>
              </>
            ),
          },
          { label: 'Median time to conversion', value: median === null ? '—' : duration(median) },
        ]}
      />
    </Section>
  );
}
