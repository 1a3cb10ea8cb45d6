import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { countEmbeddedRows, countServerRows, queryOn } from './stored-rows.ts';

/** The state of the service at one moment. Sizes are in bytes, durations in milliseconds. */
export interface Sample {
  /** Seconds since the load began. */
  readonly second: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Open file descriptors. */
  readonly handles: number;
  readonly eventLoopLagMs: number;
  /** Tenants and other subjects with due background work that nobody has claimed. */
  readonly dueJobs: number;
  readonly databaseBytes: number;
  /** Size of the largest write-ahead log of an embedded database; 0 on PostgreSQL. */
  readonly largestLogBytes: number;
  /** Rows of all tables of all databases. Only some samples count them. */
  readonly rows?: number;
  /** By kind of request, since the last sample. */
  readonly latencies: Readonly<Record<string, Latency>>;
}

/** Durations of requests as the client measures them. */
export interface Latency {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

/** Collects durations by kind of request. */
export class Stopwatch {
  #durations = new Map<string, number[]>();

  /** Adds the duration of a request. */
  readonly note = (kind: string, durationMs: number): void => {
    const known = this.#durations.get(kind);
    if (known === undefined) this.#durations.set(kind, [durationMs]);
    else known.push(durationMs);
  };

  /** Returns the percentiles since the last call. */
  take(): Record<string, Latency> {
    const taken = this.#durations;
    this.#durations = new Map();
    return Object.fromEntries([...taken].map(([kind, durations]) => [kind, latencyOf(durations)]));
  }
}

function latencyOf(durations: number[]): Latency {
  durations.sort((left, right) => left - right);
  const at = (share: number) => round(durations[Math.floor(share * (durations.length - 1))] ?? 0);
  return { count: durations.length, p50: at(0.5), p99: at(0.99) };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const round = (value: number) => Math.round(value * 100) / 100;

/** The service that is measured. */
export interface Sampled {
  readonly address: string;
  readonly processId: number;
  readonly dataDir: string;
  /** The URL of a PostgreSQL server whose databases are measured. Undefined for embedded databases. */
  readonly serverUrl: string | undefined;
}

/** Counts the rows of all databases. */
export async function countRows({ dataDir, serverUrl }: Sampled): Promise<number> {
  return serverUrl === undefined ? countEmbeddedRows(dataDir) : await countServerRows(serverUrl);
}

/** Reads the state of the service from outside: its process, its files and its metrics. */
export async function takeSample(sampled: Sampled, stopwatch: Stopwatch): Promise<Omit<Sample, 'second' | 'rows'>> {
  const { address, processId, dataDir, serverUrl } = sampled;
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const files = sizesIn(dataDir);
  const sizesOf = (isLog: boolean) =>
    files.filter(({ name }) => name.endsWith('-wal') === isLog).map(({ bytes }) => bytes);
  return {
    residentBytes: residentBytesOf(processId),
    heapBytes: metric(metrics, 'nodejs_heap_size_used_bytes'),
    handles: readdirSync(`/proc/${processId}/fd`).length,
    eventLoopLagMs: round(metric(metrics, 'nodejs_eventloop_lag_p99_seconds') * 1000),
    dueJobs: metric(metrics, 'jobs_due'),
    databaseBytes: serverUrl === undefined ? sum(sizesOf(false)) : await postgresBytes(serverUrl),
    largestLogBytes: Math.max(0, ...sizesOf(true)),
    latencies: stopwatch.take(),
  };
}

function residentBytesOf(processId: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** Returns the sum over all labels; 0 if the metric does not exist or is not a number. */
function metric(text: string, name: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + (Number(line.split(' ').at(-1)) || 0), 0);
}

function sizesIn(folder: string): { name: string; bytes: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile() || !/\.db(-wal)?$/.test(entry.name)) return [];
    // A log can vanish after it was listed.
    const bytes = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
    return [{ name: entry.name, bytes }];
  });
}

async function postgresBytes(serverUrl: string): Promise<number> {
  const query = 'select sum(pg_database_size(oid)) as bytes from pg_database where not datistemplate';
  return Number((await queryOn(serverUrl, query)).rows[0].bytes);
}
