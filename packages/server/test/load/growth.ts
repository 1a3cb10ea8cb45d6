/** A measured value and when it was measured, or with how many stored rows. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Points beyond this number are thinned: the estimate compares every pair. */
const pointsMax = 600;

/** Returns the median, or NaN without values. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns the Theil–Sen slope: the median of the slopes between all pairs of points. Outliers hardly affect it. */
export function theilSenSlope(points: readonly Point[]): number {
  const step = Math.ceil(points.length / pointsMax);
  const kept = points.filter((_, index) => index % step === 0);
  const slopes = kept.flatMap((left, index) =>
    kept.slice(index + 1).flatMap((right) => (right.x === left.x ? [] : [(right.y - left.y) / (right.x - left.x)])),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** Returns the lowest point of each period of `length`. The last period may be incomplete. */
export function lowestIn(points: readonly Point[], length: number): Point[] {
  const periods = Map.groupBy(points, ({ x }) => Math.floor(x / length));
  return [...periods.values()].map((period) => period.reduce((lowest, point) => (point.y < lowest.y ? point : lowest)));
}

/** What a level may grow by in an hour: the larger of a share of its median and an absolute amount. */
export interface Tolerance {
  readonly share: number;
  readonly absolute: number;
}

/** How a level changed over the second half of a run. */
export interface Growth {
  readonly perHour: number;
  readonly allowedPerHour: number;
  readonly grows: boolean;
}

/** Judges a level that must not grow. `x` is in seconds. Only the second half counts: caches fill in the first. */
export function judgeLevel(points: readonly Point[], { share, absolute }: Tolerance): Growth {
  const late = points.slice(Math.floor(points.length / 2));
  const perHour = theilSenSlope(late) * 3600;
  const allowedPerHour = Math.max(absolute, share * median(late.map(({ y }) => y)));
  return { perHour, allowedPerHour, grows: perHour > allowedPerHour };
}

/** The bytes per additional row in the second half of a run. */
export interface SizeGrowth {
  readonly perRow: number;
  readonly allowedPerRow: number;
  readonly grows: boolean;
}

/**
 * Judges the size of files. `x` is the number of stored rows. In the second half the bytes per row may exceed those of
 * the first half and of the whole run by a quarter, because indexes fill and logs are emptied unevenly; more means that
 * the files keep what is not stored any more.
 */
export function judgeSize(points: readonly Point[], varianceShare = 0.25): SizeGrowth {
  const half = Math.floor(points.length / 2);
  const [first, last] = [points[0], points.at(-1)];
  const ofRun = first === undefined || last === undefined || first === last ? 0 : theilSenSlope([first, last]);
  const perRow = theilSenSlope(points.slice(half));
  const allowedPerRow = (1 + varianceShare) * Math.max(theilSenSlope(points.slice(0, half)), ofRun);
  return { perRow, allowedPerRow, grows: perRow > allowedPerRow };
}
