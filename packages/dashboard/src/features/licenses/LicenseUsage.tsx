import { Paper, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type License, licenseUsageQuery } from '../../api/licenses.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { useSurface } from '../../shell/surface-context.ts';

const days = 30;
const dayMs = 86_400_000;
const height = 220;
const colors = ['accent.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.6', 'pink.6'];

/** Returns the first day of the chart as a timestamp. */
function firstDay(nowMs: number): string {
  return new Date(Math.floor(nowMs / dayMs) * dayMs - (days - 1) * dayMs).toISOString();
}

/** What a license used of each metered entitlement, per day. */
export function LicenseUsage({ license }: { readonly license: License }) {
  const surface = useSurface();
  const from = firstDay(Date.now());
  const { data, error, refetch } = useQuery(licenseUsageQuery(surface, license.id, from));
  const chart = useMemo(() => chartOf(data ?? [], from), [data, from]);
  if (data === undefined)
    return <QueryPlaceholder error={error} refetch={refetch} skeleton={<Skeleton h={height + 32} />} />;
  if (data.length === 0) {
    return (
      <Paper>
        <Text p="md" c="dimmed">
          No usage in the last {days} days. Your application reports the usage of metered entitlements.
        </Text>
      </Paper>
    );
  }
  return (
    <Paper p="md">
      <TimeChart label={`Usage per day in the last ${days} days`} interval="day" height={height} {...chart} />
    </Paper>
  );
}

interface UsageBucket {
  readonly bucket_start: string;
  readonly entitlement: string;
  readonly quantity: number;
}

function chartOf(buckets: readonly UsageBucket[], from: string) {
  const codes = [...new Set(buckets.map(({ entitlement }) => entitlement))].sort();
  const series = codes.map((code, index) => ({
    // The chart reads a dot in a name as a path.
    name: `series${index}`,
    label: code,
    color: colors[index % colors.length] ?? 'accent.6',
  }));
  const startMs = new Date(from).getTime();
  const points = Array.from({ length: days }, (_, day) => {
    const point: { start: string; [name: string]: string | number } = {
      start: new Date(startMs + day * dayMs).toISOString(),
    };
    for (const { name } of series) point[name] = 0;
    return point;
  });
  for (const { bucket_start, entitlement, quantity } of buckets) {
    const point = points[Math.round((new Date(bucket_start).getTime() - startMs) / dayMs)];
    const name = `series${codes.indexOf(entitlement)}`;
    if (point !== undefined) point[name] = Number(point[name] ?? 0) + quantity;
  }
  return { series, points };
}
