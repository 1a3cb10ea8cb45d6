import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A little more than ten minutes, so that work with that delay is due. */
const tenMinutesMs = 601_000;

/** `serve` in a separate process, which can be killed at any instruction. */
export interface KillableService {
  readonly address: string;
  readonly processId: number;
  /** Kills it with SIGKILL: no cleanup code runs, and no buffered data is written. */
  kill(): Promise<void>;
  /** Stops it gracefully. Unlike a killed process, it then writes its compile cache for the next one. */
  stop(): Promise<void>;
  /**
   * Advances its clock, so that leases of dead processes end and paused deliveries of repeatedly killed processes are
   * sent again.
   */
  passTenMinutes(): void;
}

/**
 * Starts the real program and waits until it serves. Its clock is `clockShiftMs` ahead, as if that time had passed
 * during the downtime: the leases of the previous process have ended.
 */
export async function startKillable(env: NodeJS.ProcessEnv, clockShiftMs: number): Promise<KillableService> {
  const shift =
    `const now = Date.now; let ahead = ${clockShiftMs}; Date.now = () => now() + ahead;` +
    `process.on("SIGWINCH", () => { ahead += ${tenMinutesMs}; });`;
  const child = spawn(process.execPath, [`--import=data:text/javascript,${encodeURI(shift)}`, main, 'serve'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  const address = await servingAddress(child);
  const passTenMinutes = () => void child.kill('SIGWINCH');
  const processId = child.pid ?? 0;
  return { address, processId, kill: () => end('SIGKILL'), stop: () => end('SIGTERM'), passTenMinutes };
}

async function servingAddress({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('The standard error of serve is not a pipe.');
  const lines: string[] = [];
  for await (const line of createInterface(stderr)) {
    const address = /^Serving on (http:\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
    lines.push(line);
  }
  throw new Error(`serve ended before it accepted requests:\n${lines.join('\n')}`);
}
