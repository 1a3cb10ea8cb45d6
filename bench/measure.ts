import { applyLoad, type Load, type Served } from './load.ts';
import { cpuSeconds, type ServerProcess } from './processes.ts';

/** One server under one load. */
export interface Contestant extends Omit<Load, 'port'> {
  readonly server: ServerProcess;
}

/** The result of one round of one server. */
export interface Round {
  readonly perSecond: number;
  /** CPU time of the server per response, user and system. A busy machine affects it less than the throughput. */
  readonly cpuMicros: number;
  readonly p99Ms: number;
}

export interface Comparison {
  readonly ours: Round;
  readonly floor: Round;
  /** Our throughput divided by the floor's: the median of the ratios of the rounds. */
  readonly throughputRatio: number;
  /** The floor's CPU time per response divided by ours: 1 is no overhead. */
  readonly cpuRatio: number;
}

/** True: rounds are too short for figures and only show that a benchmark works. */
export const isQuick = process.env['BENCH_QUICK'] === '1';
export const rounds = isQuick ? 1 : 5;
const roundMs = isQuick ? 300 : 2000;
/** Duration of the warm-up, which is not measured. */
export const warmUpMs = isQuick ? 300 : 4000;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Measures a server while `load` runs. */
export async function roundOf({ pid }: ServerProcess, load: () => Promise<Served>): Promise<Round> {
  const before = cpuSeconds(pid);
  const { answers, seconds, p99Ms } = await load();
  const cpu = cpuSeconds(pid) - before;
  return { perSecond: answers / seconds, cpuMicros: (cpu / answers) * 1e6, p99Ms };
}

export function runRound({ server, ...load }: Contestant, durationMs = roundMs): Promise<Round> {
  return roundOf(server, () => applyLoad({ ...load, port: server.port }, durationMs));
}

export function medianRound(all: readonly Round[]): Round {
  return {
    perSecond: median(all.map((round) => round.perSecond)),
    cpuMicros: median(all.map((round) => round.cpuMicros)),
    p99Ms: median(all.map((round) => round.p99Ms)),
  };
}

/** Applies one load for a time. */
export type RunRound = (durationMs: number) => Promise<Round>;

/**
 * Applies loads in short alternating rounds, because the speed of a shared machine drifts over minutes. Every second
 * round has the reverse order, so that a drift within a round favours none.
 */
export async function alternate<Name extends string>(
  runs: Readonly<Record<Name, RunRound>>,
): Promise<Record<Name, Round>[]> {
  const named = Object.entries(runs) as [Name, RunRound][];
  for (const [, run] of named) await run(warmUpMs);
  const results: Record<Name, Round>[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const measured: Partial<Record<Name, Round>> = {};
    for (const [name, run] of index % 2 === 0 ? named : named.toReversed()) measured[name] = await run(roundMs);
    results.push(measured as Record<Name, Round>);
  }
  return results;
}

/** Compares two servers under the load of `load.ts` in alternating rounds. */
export async function compare(ours: Contestant, floor: Contestant): Promise<Comparison> {
  const measured = await alternate({
    ours: (durationMs) => runRound(ours, durationMs),
    floor: (durationMs) => runRound(floor, durationMs),
  });
  return {
    ours: medianRound(measured.map((round) => round.ours)),
    floor: medianRound(measured.map((round) => round.floor)),
    throughputRatio: median(measured.map((round) => round.ours.perSecond / round.floor.perSecond)),
    cpuRatio: median(measured.map((round) => round.floor.cpuMicros / round.ours.cpuMicros)),
  };
}
