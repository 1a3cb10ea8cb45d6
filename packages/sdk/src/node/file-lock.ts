import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { storeInUse } from '../stores/store.ts';
import { hasCode, writeDurably } from './write-durably.ts';

/** Identifies the process that holds a lock. */
interface Owner {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** Tells a process from a later one with the same id; null where the system does not say it. */
  readonly startedAt: string | null;
}

/** The locks of this process, because its id does not tell one from another. */
const heldHere = new Set<string>();

/**
 * Takes the lock file of a path, and returns the function that frees it. The lock of a process that ended in any way is
 * taken over. Rejects with `STORE.IN_USE` while its owner lives; an owner on another host counts as alive, because its
 * process cannot be seen from here.
 */
export async function takeFileLock(path: string): Promise<() => Promise<void>> {
  const lockPath = `${path}.lock`;
  if (heldHere.has(lockPath)) throw storeInUse(path);
  heldHere.add(lockPath);
  const token = randomUUID();
  try {
    const mine: Owner = { token, pid: process.pid, host: hostname(), startedAt: await startOf(process.pid) };
    await take(lockPath, JSON.stringify(mine), path);
  } catch (error) {
    heldHere.delete(lockPath);
    throw error;
  }
  return async () => {
    heldHere.delete(lockPath);
    if ((await readOwner(lockPath))?.token === token) await rm(lockPath, { force: true });
  };
}

async function take(lockPath: string, text: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await create(lockPath, text)) return;
    const owner = await readOwner(lockPath);
    if (owner !== null && (await isAlive(owner))) throw storeInUse(path);
    await removeStale(lockPath, owner);
  }
  throw storeInUse(path);
}

/** Creates the lock with its text in one step, so that no process sees an empty lock. */
async function create(lockPath: string, text: string): Promise<boolean> {
  const temporary = `${lockPath}.${randomUUID()}.tmp`;
  try {
    await writeDurably(temporary, text);
    await link(temporary, lockPath);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Removes the lock of an ended process. If another process took the lock meanwhile, puts its lock back. */
async function removeStale(lockPath: string, seen: Owner | null): Promise<void> {
  const aside = `${lockPath}.${randomUUID()}.stale`;
  try {
    await rename(lockPath, aside);
    if ((await readOwner(aside))?.token !== seen?.token) await link(aside, lockPath);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function readOwner(path: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // A lock without an owner was not written by this package.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function isAlive({ pid, host, startedAt }: Owner): Promise<boolean> {
  if (host !== hostname()) return true;
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
