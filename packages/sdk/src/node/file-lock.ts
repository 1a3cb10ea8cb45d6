import { randomUUID } from 'node:crypto';
import { link, rename, rm } from 'node:fs/promises';
import { storeInUse } from '../stores/store.ts';
import { isAlive, type Owner, readOwner, thisProcess } from './file-owner.ts';
import { hasCode, writeDurably } from './write-durably.ts';

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
    await take(lockPath, JSON.stringify(await thisProcess(token)), path);
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
