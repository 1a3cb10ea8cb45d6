import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { servingAddress } from '../crash/killable-service.ts';
import type { Turns } from './pause-probe.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `serve` in a process that does nothing else, whose event loop is measured. */
export interface MeasuredService {
  /** The URL at which it serves. */
  readonly address: string;
  /** Returns the longest turns of its event loop since the last call, or since it began to serve. */
  longestTurns(): Promise<Turns>;
  stop(): Promise<void>;
}

/** It only ends a process that hangs. */
const patienceMs = 30_000;

/** Starts the real program with the probe and waits until it serves. */
export async function startMeasured(env: NodeJS.ProcessEnv): Promise<MeasuredService> {
  const args = [`--import=${pathOf('./pause-probe.ts')}`, pathOf('../../src/main.ts'), 'serve'];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ended = once(child, 'close');
  const address = await servingAddress(child);
  const longestTurns = async (): Promise<Turns> => {
    const reply = once(child, 'message');
    child.send('report');
    const [turns] = await reply;
    return turns;
  };
  await longestTurns();
  return {
    address,
    longestTurns,
    async stop() {
      child.kill('SIGTERM');
      // A process that a text keeps busy does not stop.
      const timer = setTimeout(() => void child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
