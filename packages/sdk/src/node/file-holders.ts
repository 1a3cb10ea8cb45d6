import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive, isOfThisHost, readOwner, thisProcess } from './file-owner.ts';

/**
 * Writes `<path>.<token>.holder`, which counts a user of the path on this machine. Returns the function that removes it
 * and says whether no other living process of this machine has one. SDKs of all languages read and write these files.
 */
export async function holdFile(path: string): Promise<() => Promise<boolean>> {
  const token = randomUUID();
  const mine = `${path}.${token}.holder`;
  const temporary = `${path}.${token}.tmp`;
  await writeFile(temporary, JSON.stringify(await thisProcess(token)), { flag: 'wx', mode: 0o600 });
  // Another process never sees half of the text.
  await rename(temporary, mine);
  return async () => {
    await rm(mine, { force: true });
    for (const file of await holderFiles(path)) if (await isHeld(file)) return false;
    return true;
  };
}

async function holderFiles(path: string): Promise<string[]> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix) && name.endsWith('.holder'));
  // A token has no dot; with one, the file belongs to another store, such as `<path>.backup`.
  const ofPath = names.filter((name) => !name.slice(prefix.length, -'.holder'.length).includes('.'));
  return ofPath.map((name) => join(folder, name));
}

/** Whether a living process of this machine has the file. The file of an ended one is removed. */
async function isHeld(file: string): Promise<boolean> {
  const owner = await readOwner(file);
  // Another machine has a seat of its own.
  if (owner === null || !isOfThisHost(owner)) return false;
  if (await isAlive(owner)) return true;
  await rm(file, { force: true });
  return false;
}
