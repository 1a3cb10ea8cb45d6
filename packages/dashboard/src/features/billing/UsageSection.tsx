import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { PlanUsage } from '../../api/billing.ts';
import { Section } from '../../components/Section.tsx';
import { formatNumber } from '../../lib/text.ts';
import { limitNames } from '../plans/plan-terms.ts';

/** How much of each limit of the plan is used. */
export function UsageSection({ usage }: { readonly usage: PlanUsage }) {
  return (
    <Section title="Use of the limits" description="What the plan allows, and what the tenant has now.">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="lg" verticalSpacing="md">
        {limitNames.map(({ name, label }) => (
          <Meter key={name} label={label} {...usage[name]} />
        ))}
      </SimpleGrid>
    </Section>
  );
}

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
}

const nearlyFull = 0.8;

function Meter({ label, used, limit }: MeterProps) {
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit);
  const isFull = limit !== null && used >= limit;
  const color = isFull ? 'red' : share >= nearlyFull ? 'yellow' : 'accent';
  const note = isFull ? ' · full' : share >= nearlyFull ? ' · nearly full' : '';
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="md" truncate>
          {label}
        </Text>
        <Text size="sm" c="dimmed" className="tabular" style={{ whiteSpace: 'nowrap' }}>
          {formatNumber(used)} {limit === null ? '· unlimited' : `of ${formatNumber(limit)}${note}`}
        </Text>
      </Group>
      <Progress.Root size={6}>
        <Progress.Section
          value={share * 100}
          color={color}
          aria-label={label}
          aria-valuetext={
            limit === null ? `${formatNumber(used)}, unlimited` : `${formatNumber(used)} of ${formatNumber(limit)}`
          }
        />
      </Progress.Root>
    </Stack>
  );
}
