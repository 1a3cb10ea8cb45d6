import { applyLoad, type Expectation, type Load, type Requests, validVerdict } from './load.ts';
import { cpuSeconds, type ServerProcess } from './processes.ts';

/** One server under one load. */
export interface Contestant {
  readonly server: ServerProcess;
  readonly requests: Requests;
  /** A valid verdict unless given. */
  readonly expected?: Expectation;
  /** What each answer ends with, where that is no envelope. */
  readonly end?: Buffer;
}

/** What one round of a contestant showed. */
export interface Round {
  readonly perSecond: number;
  /** CPU time of the server per answer, which a busy machine disturbs less than its throughput. */
  readonly cpuMicros: number;
  /** How much of one core the server used, 0 to 1: below 0.9 something else was the bottleneck. */
  readonly cpuShare: number;
}

export interface Comparison {
  readonly ours: Round;
  readonly floor: Round;
  /** Throughput of ours as a share of the floor's: the median of the rounds' own ratios. */
  readonly throughputRatio: number;
  /** The floor's CPU time per answer as a share of ours: 1 would be no overhead at all. */
  readonly cpuRatio: number;
}

/** Rounds so short that they only show whether a benchmark works. */
export const isQuick = process.env['BENCH_QUICK'] === '1';
const rounds = isQuick ? 1 : 5;
const roundMs = isQuick ? 300 : 2000;
/** How long a server is loaded before anything counts. */
export const warmUpMs = isQuick ? 300 : 4000;

/** Many connections without pipelining: how applications call the API. */
const connections = 64;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export async function runRound(
  { server, requests, expected = validVerdict, end }: Contestant,
  durationMs = roundMs,
): Promise<Round> {
  const load: Load = { connections, port: server.port, requests, expected, end };
  const cpuBefore = cpuSeconds(server.pid);
  const startedAt = performance.now();
  const perSecond = await applyLoad(load, durationMs);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuSeconds(server.pid) - cpuBefore;
  return { perSecond, cpuMicros: (cpu / (perSecond * seconds)) * 1e6, cpuShare: cpu / seconds };
}

export function medianRound(all: readonly Round[]): Round {
  return {
    perSecond: median(all.map((round) => round.perSecond)),
    cpuMicros: median(all.map((round) => round.cpuMicros)),
    cpuShare: median(all.map((round) => round.cpuShare)),
  };
}

/**
 * Compares two servers in short rounds that take turns, because the speed of a shared machine drifts over minutes.
 * Who goes first alternates, so that a drift within a pair favours neither.
 */
export async function compare(ours: Contestant, floor: Contestant): Promise<Comparison> {
  for (const contestant of [ours, floor]) await runRound(contestant, warmUpMs);
  const pairs: { ours: Round; floor: Round }[] = [];
  for (let index = 0; index < rounds; index += 1) {
    if (index % 2 === 0) pairs.push({ ours: await runRound(ours), floor: await runRound(floor) });
    else {
      const floorRound = await runRound(floor);
      pairs.push({ ours: await runRound(ours), floor: floorRound });
    }
  }
  return {
    ours: medianRound(pairs.map((pair) => pair.ours)),
    floor: medianRound(pairs.map((pair) => pair.floor)),
    throughputRatio: median(pairs.map((pair) => pair.ours.perSecond / pair.floor.perSecond)),
    cpuRatio: median(pairs.map((pair) => pair.floor.cpuMicros / pair.ours.cpuMicros)),
  };
}
