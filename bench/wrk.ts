import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connections, type Served } from './load.ts';
import { type Contestant, type Round, roundOf } from './measure.ts';

const script = join(import.meta.dirname, 'wrk.lua');

/** The last line of the script's output. */
interface Summary {
  readonly requests: number;
  readonly micros: number;
  readonly p99Micros: number;
  /** Failed connections, reads and writes, timeouts, and responses with another status than 200. */
  readonly failures: number;
}

/**
 * Loads a server through the external load generator `wrk` with the contestant's requests in turn. Throws at a response
 * with another status than 200.
 */
export async function runWrk({ server, requests }: Contestant, durationMs: number): Promise<Round> {
  if (typeof requests === 'function') throw new Error('wrk needs a list of requests.');
  const folder = await mkdtemp(join(tmpdir(), 'licensing-wrk-'));
  try {
    const file = join(folder, 'requests');
    await writeFile(file, requests.map(({ bytes }) => bytes).join('\0'));
    return await roundOf(server, () => wrk(server.port, file, durationMs));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function wrk(port: number, requestsFile: string, durationMs: number): Promise<Served> {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  // A busy machine is not a failure.
  const patience = ['--timeout', '60s'];
  const load = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, ...patience];
  const { stdout } = await promisify(execFile)('wrk', [
    ...load,
    ...['--script', script, `http://127.0.0.1:${port}`, '--', requestsFile],
  ]);
  const summary: Summary = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  if (summary.failures > 0) throw new Error(`wrk counted ${summary.failures} failures: ${stdout}`);
  return { answers: summary.requests, seconds: summary.micros / 1e6, p99Ms: summary.p99Micros / 1000 };
}
