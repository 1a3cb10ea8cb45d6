import { type ChildProcess, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program that may fail, in a folder. */
export function attempt(
  command: string,
  parameters: readonly string[],
  cwd: string,
  env: Record<string, string>,
): SpawnSyncReturns<string> {
  return spawnSync(command, parameters, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
}

/** Ends a program, and waits until it has ended. */
export async function ended(child: ChildProcess, end: (child: ChildProcess) => unknown): Promise<void> {
  const exit = once(child, 'exit');
  end(child);
  await exit;
}
