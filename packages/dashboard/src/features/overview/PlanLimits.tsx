import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Overview } from '../../api/overview.ts';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { formatNumber } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allowsReading } from '../../surfaces.ts';

type Limits = Overview['limits'];

const names: readonly (readonly [keyof Limits, string])[] = [
  ['licenses', 'Licenses'],
  ['activations', 'Active devices'],
  ['products', 'Products'],
  ['api_keys', 'API keys'],
  ['webhooks', 'Webhook endpoints'],
  ['members', 'Members and invitations'],
  ['integration_requests_per_minute', 'API requests this minute'],
];

const nearPercent = 80;

function colorAt(percent: number): string {
  if (percent >= 100) return 'red';
  return percent >= nearPercent ? 'yellow' : 'accent';
}

/** How much of the plan the tenant uses. */
export function PlanLimits({ limits }: { readonly limits: Limits }) {
  const surface = useSurface();
  return (
    <Section
      title="Plan limits"
      {...(allowsReading(surface, 'billing') && {
        actions: (
          <SurfaceLink to="/billing" size="sm">
            Plan and billing
          </SurfaceLink>
        ),
      })}
    >
      <Stack component="ul" gap={14} m={0} p={0} style={{ listStyle: 'none' }}>
        {names.map(([name, label]) => (
          <LimitUse key={name} label={label} {...limits[name]} />
        ))}
      </Stack>
    </Section>
  );
}

interface LimitUseProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
}

function LimitUse({ label, used, limit }: LimitUseProps) {
  const percent = limit === null ? 0 : Math.min(100, (used / Math.max(limit, 1)) * 100);
  return (
    <Stack component="li" gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text truncate>{label}</Text>
        <Hint className="tabular" style={{ whiteSpace: 'nowrap' }}>
          {limit === null ? `${formatNumber(used)} · unlimited` : `${formatNumber(used)} of ${formatNumber(limit)}`}
        </Hint>
      </Group>
      {limit !== null && (
        <Progress.Root size={6}>
          <Progress.Section
            value={percent}
            color={colorAt(percent)}
            aria-label={`${label}: ${formatNumber(used)} of ${formatNumber(limit)}`}
          />
        </Progress.Root>
      )}
    </Stack>
  );
}
