/** One moment: `start` is the beginning of its interval, the other properties are counts. */
export interface TimePoint {
  readonly start: string;
  readonly [series: string]: string | number;
}

/** More bars than this are thinner than the gaps between them. */
const barsMax = 100;
const daysPerWeek = 7;
/** Labels of the time axis. A narrow window shows every other one. */
const labelsMax = 8;
const valueSteps = 4;

/** Adds the counts of each week, the last week ending with the last day, if there are too many days for bars. */
export function binned(points: readonly TimePoint[]): {
  readonly points: readonly TimePoint[];
  readonly isWeekly: boolean;
} {
  if (points.length <= barsMax) return { points, isWeekly: false };
  const rest = points.length % daysPerWeek;
  const starts = Array.from(
    { length: Math.floor(points.length / daysPerWeek) },
    (_, week) => rest + week * daysPerWeek,
  );
  // The first days that fill no week are left out: a low bar would look like a fall.
  return { points: starts.map((start) => sumOf(points.slice(start, start + daysPerWeek))), isWeekly: true };
}

function sumOf(points: readonly TimePoint[]): TimePoint {
  const [first = { start: '' }] = points;
  const names = Object.keys(first).filter((name) => name !== 'start');
  const sums = names.map((name) => [name, points.reduce((sum, point) => sum + Number(point[name] ?? 0), 0)] as const);
  return { ...Object.fromEntries(sums), start: first.start };
}

/** Returns the labels of the time axis: every n-th one, so that the distance between them is the same. */
export function timeTicks(labels: readonly string[]): string[] {
  const every = Math.ceil(labels.length / labelsMax);
  // Counted from the end: the newest one matters most.
  return labels.filter((_, index) => (labels.length - 1 - index) % every === 0);
}

/** Returns the values of the axis from 0 to at least `highest`, at round distances; whole numbers for counts. */
export function valueTicks(highest: number, isCount: boolean): number[] {
  const least = isCount ? 1 : 0;
  const rough = Math.max(highest / valueSteps, least, Number.EPSILON);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10]
    .map((factor) => factor * power)
    .find((one) => one >= rough && (!isCount || Number.isInteger(one)));
  const distance = step ?? 10 * power;
  const count = Math.max(1, Math.ceil(highest / distance - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * distance).toPrecision(12)));
}
