import type { Comparison, Round } from './measure.ts';

/** One line of the result. */
export interface Row {
  readonly name: string;
  readonly ours: string;
  /** The floor of the comparison, or `-`. */
  readonly floor: string;
  readonly ratio: string;
  readonly target: string;
  /** `info`: without a target. `exceeded`: a budget, so the run fails. */
  readonly verdict: 'ok' | 'short' | 'info' | 'exceeded';
}

const columns = ['name', 'ours', 'floor', 'ratio', 'target', 'verdict'] as const satisfies readonly (keyof Row)[];

/** Formats the rows as one aligned table. */
export function formatTable(rows: readonly Row[]): string {
  const header = Object.fromEntries(columns.map((column) => [column, column])) as Record<
    (typeof columns)[number],
    string
  >;
  const lines = [header, ...rows];
  const widths = columns.map((column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      columns
        .map((column, index) => line[column].padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`;
}

export function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString('en')}/s`;
}

/** Returns the figures of a round as one text. */
export function describeRound(round: Round): string {
  return `${perSecond(round.perSecond)} (${round.cpuMicros.toFixed(1)} µs CPU, p99 ${round.p99Ms.toFixed(1)} ms)`;
}

/**
 * Returns a row for a comparison with a floor; `target` is the minimum of both ratios, by throughput and by CPU time,
 * null without a target.
 */
export function comparisonRow(name: string, comparison: Comparison, target: number | null): Row {
  const { ours, floor, throughputRatio, cpuRatio } = comparison;
  return {
    name,
    ours: describeRound(ours),
    floor: describeRound(floor),
    ratio: `${times(throughputRatio)} (CPU ${times(cpuRatio)})`,
    target: target === null ? '-' : `≥ ${times(target)} both`,
    verdict: target === null ? 'info' : Math.min(throughputRatio, cpuRatio) >= target ? 'ok' : 'short',
  };
}
