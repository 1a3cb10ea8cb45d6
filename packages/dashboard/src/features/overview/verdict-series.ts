import type { Overview } from '../../api/overview.ts';
import type { TimePoint } from '../../components/charts/chart-axis.ts';
import type { TimeSeries } from '../../components/charts/TimeChartContent.tsx';

type Validations = Overview['validations'];

/** The verdicts in the order of the chart: valid ones first, at the bottom. Refusals are warm or grey, never blue or green. */
export const verdicts: Readonly<Record<string, { readonly label: string; readonly color: string }>> = {
  'LICENSE.VALID': { label: 'Valid', color: 'teal.6' },
  'LICENSE.IN_GRACE': { label: 'In grace period', color: 'lime.6' },
  'LICENSE.EXPIRED': { label: 'Expired', color: 'orange.6' },
  'LICENSE.NOT_FOUND': { label: 'Unknown key', color: 'gray.6' },
  'LICENSE.SUSPENDED': { label: 'Suspended', color: 'yellow.6' },
  'LICENSE.REVOKED': { label: 'Revoked', color: 'red.7' },
  'LICENSE.NOT_STARTED': { label: 'Not started', color: 'gray.4' },
  'LICENSE.PRODUCT_MISMATCH': { label: 'Other product', color: 'grape.5' },
  'LICENSE.MAINTENANCE_EXPIRED': { label: 'Maintenance ended', color: 'orange.3' },
  'ACTIVATION.FINGERPRINT_REQUIRED': { label: 'No fingerprint', color: 'yellow.3' },
  'ACTIVATION.NOT_FOUND': { label: 'Device not activated', color: 'pink.3' },
  'ACTIVATION.LEASE_EXPIRED': { label: 'Lease ended', color: 'pink.6' },
  'ACTIVATION.LIMIT_EXCEEDED': { label: 'Too many devices', color: 'red.5' },
  'ENTITLEMENT.NOT_GRANTED': { label: 'Entitlement not granted', color: 'grape.8' },
};

/** The part of the total that has no code, because an earlier version counted it. */
const uncoded = 'uncoded';

/** Chart libraries read a dot in a name as a path. */
const seriesName = (code: string) => code.replace('.', '_');

/** The validations of a range by verdict. */
export interface VerdictSeries {
  readonly points: readonly TimePoint[];
  readonly series: readonly TimeSeries[];
  readonly total: number;
  /** The validations with a code for a valid license or one in its grace period. */
  readonly valid: number;
  readonly coded: number;
}

/** Turns the validations of the overview into the series of a chart: one per code that occurred. */
export function verdictSeries({ points }: Pick<Validations, 'points'>): VerdictSeries {
  const totals = new Map<string, number>();
  for (const { by_code } of points) {
    for (const [code, validations] of Object.entries(by_code)) totals.set(code, (totals.get(code) ?? 0) + validations);
  }
  const known = Object.keys(verdicts);
  const codes = [...totals.keys()].sort((left, right) => rankOf(known, left) - rankOf(known, right));
  const total = points.reduce((sum, point) => sum + point.total, 0);
  const coded = [...totals.values()].reduce((sum, validations) => sum + validations, 0);
  const series = codes.map((code) => {
    // A later version of the service may answer with further codes.
    return { name: seriesName(code), label: code, color: 'gray.5', ...verdicts[code] };
  });
  if (total > coded) series.push({ name: uncoded, label: 'Without a code', color: 'gray.4' });
  return {
    points: points.map(({ bucket_start, total: all, by_code }) => {
      const counted = Object.values(by_code).reduce((sum, validations) => sum + validations, 0);
      const named = Object.fromEntries(codes.map((code) => [seriesName(code), by_code[code] ?? 0]));
      return { start: bucket_start, ...named, [uncoded]: Math.max(0, all - counted) };
    }),
    series,
    total,
    valid: (totals.get('LICENSE.VALID') ?? 0) + (totals.get('LICENSE.IN_GRACE') ?? 0),
    coded,
  };
}

function rankOf(known: readonly string[], code: string): number {
  const rank = known.indexOf(code);
  return rank === -1 ? known.length : rank;
}
