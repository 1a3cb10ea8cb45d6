import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { compileCache } from '../support/compile-cache.ts';
import { checksResponses } from '../support/response-checks.ts';

/** Starts the bundle, which takes half the time, or the sources if they have changed since. */
const launcher = fileURLToPath(new URL('../../bin/licensing.mjs', import.meta.url));

/** Longer than every lease, and than the time for which a new process leaves jobs whose process often died. */
const leaseMs = 31_000;
/** A little more than the longest wait for an unavailable database. */
const tenMinutesMs = 601_000;

/** `serve` in a separate process, which can be killed at any instruction. */
export interface KillableService {
  readonly address: string;
  readonly processId: number;
  /** Kills it with SIGKILL: no cleanup code runs, and no buffered data is written. */
  kill(): Promise<void>;
  /** Stops it gracefully. Unlike a killed process, it then writes its compile cache for the next one. */
  stop(): Promise<void>;
  /** Advances its clock, so that the leases of dead processes end. */
  passLease(): void;
  /** Advances its clock, so that all work that waits for an unavailable database is due. */
  passTenMinutes(): void;
}

interface Killable {
  /** Gets its log. */
  readonly onLog?: (text: string) => void;
  /** False: for a process that is killed soon, when another one checks the same responses. Loading them takes a second. */
  readonly checks?: boolean;
}

/**
 * Starts the real program and waits until it serves. Its clock is `clockShiftMs` ahead, as if that time had passed
 * during the downtime: the leases of the previous process have ended. It does not outlive the test.
 */
export async function startKillable(
  env: NodeJS.ProcessEnv,
  clockShiftMs: number,
  { onLog, checks = true }: Killable = {},
): Promise<KillableService> {
  // Two signals that the program does not use itself.
  const shift =
    `const now = Date.now; let ahead = ${clockShiftMs}; Date.now = () => now() + ahead;` +
    `process.on("SIGWINCH", () => { ahead += ${leaseMs}; });` +
    `process.on("SIGCONT", () => { ahead += ${tenMinutesMs}; });`;
  const options = [`--import=data:text/javascript,${encodeURI(shift)}`, ...(checks ? [checksResponses] : [])];
  const child = spawn(process.execPath, [...options, launcher, 'serve'], {
    env: { PATH: process.env['PATH'], DRAIN_SECONDS: '0', ...compileCache, ...env },
    stdio: ['ignore', onLog === undefined ? 'ignore' : 'pipe', 'pipe'],
  });
  if (onLog !== undefined) child.stdout?.setEncoding('utf8').on('data', onLog);
  const ended = once(child, 'close');
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  onTestFinished(() => end('SIGKILL'));
  const address = await servingAddress(child);
  const passLease = () => void child.kill('SIGWINCH');
  const passTenMinutes = () => void child.kill('SIGCONT');
  const processId = child.pid ?? 0;
  return { address, processId, kill: () => end('SIGKILL'), stop: () => end('SIGTERM'), passLease, passTenMinutes };
}

/** Waits until `serve` in another process accepts requests, and returns its address. */
export async function servingAddress({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('The standard error of serve is not a pipe.');
  const seen: string[] = [];
  const lines = createInterface(stderr);
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const address = /^Serving on (http:\S+)$/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
      seen.push(line);
    });
    lines.on('close', () => reject(new Error(`serve ended before it accepted requests:\n${seen.join('\n')}`)));
  });
}
