import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A little more, so that what waits for ten minutes is due. */
const tenMinutesMs = 601_000;

/** `serve` in a process of its own, which can be ended at any instruction. */
export interface KillableService {
  readonly address: string;
  readonly processId: number;
  /** Ends it with SIGKILL: nothing of it runs any more, and nothing it holds in memory is written. */
  kill(): Promise<void>;
  /** Ends it in good order: the next one starts from what it compiled, which one that is killed does not write. */
  stop(): Promise<void>;
  /**
   * Puts its clock on: leases of processes that died have ended, and deliveries are sent again that rest because their
   * process was killed again and again.
   */
  passTenMinutes(): void;
}

/**
 * Starts the real program and waits until it serves. Its clock is `clockShiftMs` ahead, as if that time had passed
 * while it was down: leases of the process before it have ended.
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
  if (stderr === null) throw new Error('The standard error of serve is not read.');
  const lines: string[] = [];
  for await (const line of createInterface(stderr)) {
    const address = /^Serving on (http:\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
    lines.push(line);
  }
  throw new Error(`serve ended before it served:\n${lines.join('\n')}`);
}
