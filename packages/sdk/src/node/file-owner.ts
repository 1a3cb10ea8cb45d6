import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { hasCode } from './write-durably.ts';

/** Identifies the process to which a lock file or a holder file belongs. */
export interface Owner {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** Tells a process from a later one with the same id; null where the system does not say it. */
  readonly startedAt: string | null;
}

/** Returns the owner of a file that this process writes. */
export async function thisProcess(token: string): Promise<Owner> {
  return { token, pid: process.pid, host: hostname(), startedAt: await startOf(process.pid) };
}

/** Whether a file was written on this machine. */
export function isOfThisHost({ host }: Owner): boolean {
  return host === hostname();
}

/** Returns the owner that a file names; null if there is no such file, or it was not written by this package. */
export async function readOwner(path: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whether a process still runs. One on another host counts as alive, because it cannot be seen from here. */
export async function isAlive(owner: Owner): Promise<boolean> {
  const { pid, startedAt } = owner;
  if (!isOfThisHost(owner)) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (!hasCode(error, 'EPERM')) return false;
  }
  const now = await startOf(pid);
  return startedAt === null || now === null || startedAt === now;
}

/** Returns when a process started, in ticks since the boot (proc(5), field 22), or null where there is no /proc. */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field, the program's name, is in parentheses and may contain spaces.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
