import { Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Overview } from '../../api/overview.ts';
import { Hint } from '../../components/Texts.tsx';
import { count, formatNumber, formatShare } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { type RangeName, ranges } from './search.ts';
import type { VerdictSeries } from './verdict-series.ts';

interface OverviewTilesProps {
  readonly overview: Overview;
  readonly validations: VerdictSeries;
  readonly range: RangeName;
}

type CountName = 'pending' | 'suspended' | 'expired' | 'revoked' | 'expiring';

/** Returns a count, or "2,000+" for a lower bound. */
function shown({ lower_bounds, ...counts }: Overview['licenses'], name: CountName): string {
  return `${formatNumber(counts[name])}${lower_bounds.includes(name) ? '+' : ''}`;
}

/** Returns the licenses that are not active: "3 suspended, 12 expired". */
function othersOf(licenses: Overview['licenses']): string {
  const names = (['pending', 'suspended', 'expired', 'revoked'] as const).filter((name) => licenses[name] > 0);
  return names.map((name) => `${shown(licenses, name)} ${name}`).join(', ');
}

/** The four figures of the tenant that matter most. */
export function OverviewTiles({ overview, validations, range }: OverviewTilesProps) {
  const { licenses, expiring_soon_days: days, active_activations: activations } = overview;
  const others = othersOf(licenses);
  const isKnown = licenses.active !== null;
  const { total, valid, coded } = validations;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', xs: 'md' }}>
      <Tile
        label={isKnown ? 'Active licenses' : 'Licenses'}
        value={formatNumber(licenses.active ?? licenses.total)}
        note={others === '' ? 'No other licenses' : others}
        to="/licenses"
      />
      <Tile
        label="Expiring soon"
        value={shown(licenses, 'expiring')}
        note={`within ${count(days, 'day')}`}
        to="/licenses"
        search={{ status: 'active', expires_within: String(days) }}
      />
      <Tile
        label="Active devices"
        value={formatNumber(activations)}
        note="devices in use now"
        to="/activations"
        search={{ status: 'active' }}
      />
      <Tile
        label="Validations"
        value={formatNumber(total)}
        note={
          coded === 0 ? `in ${ranges[range].label}` : `in ${ranges[range].label}, ${formatShare(valid / coded)} valid`
        }
      />
    </SimpleGrid>
  );
}

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly note: ReactNode;
  readonly to?: string;
  readonly search?: Readonly<Record<string, unknown>>;
}

function Tile({ label, value, note, to, search }: TileProps) {
  return (
    <Paper p="md" role="group" aria-label={label}>
      <Stack gap={4}>
        {to === undefined ? (
          <Hint>{label}</Hint>
        ) : (
          <SurfaceLink to={to} {...(search && { search })} size="sm" c="dimmed">
            {label}
          </SurfaceLink>
        )}
        <Text fz="xl" fw={600} lh={1.3} className="tabular">
          {value}
        </Text>
        <Hint>{note}</Hint>
      </Stack>
    </Paper>
  );
}
