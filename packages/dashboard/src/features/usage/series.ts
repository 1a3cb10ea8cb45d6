import type { UsagePoint } from '../../api/usage.ts';

/** The usage of one entitlement over time. */
export interface EntitlementSeries {
  readonly code: string;
  readonly total: number;
  readonly points: readonly { readonly start: string; readonly quantity: number }[];
}

/** Returns one series per entitlement, with a point for every bucket, the most used first. */
export function seriesOf(points: readonly UsagePoint[]): EntitlementSeries[] {
  const codes = new Set(points.flatMap(({ entitlements }) => entitlements.map(({ code }) => code)));
  const series = [...codes].map((code) => {
    const own = points.map(({ bucket_start: start, entitlements }) => ({
      start,
      quantity: entitlements.find((one) => one.code === code)?.quantity ?? 0,
    }));
    return { code, total: own.reduce((sum, { quantity }) => sum + quantity, 0), points: own };
  });
  return series.sort((one, other) => other.total - one.total || (one.code < other.code ? -1 : 1));
}
