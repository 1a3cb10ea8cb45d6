import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configurationError } from '../error.ts';
import type { Store } from '../stores/store.ts';
import { holdFile } from './file-holders.ts';
import { takeFileLock } from './file-lock.ts';
import { hasCode, syncFolder, writeDurably } from './write-durably.ts';

/** After this time a temporary file belongs to no write that is under way. */
const abandonedAfterMs = 600_000;

/**
 * Creates a store in a file that only its owner can read (mode 0600; a new folder gets 0700). A write replaces the file
 * at once and is on the disk when it returns, so after a crash or a power failure the file has its old or its new text.
 * Several processes may read and write; `lock` makes one process the only writer and writes `<path>.lock`. `hold` writes
 * `<path>.<token>.holder` for each process that uses the store.
 */
export function fileStore(path: string): Store {
  if (typeof path !== 'string' || path === '') throw configurationError('Pass the path of a file to fileStore().');
  const target = resolve(path);
  let earlier: Promise<unknown> = Promise.resolve();
  let isTidy = false;

  async function replace(text: string): Promise<void> {
    const folder = dirname(target);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!isTidy) await removeAbandoned(target);
    isTidy = true;
    const temporary = `${target}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeDurably(temporary, text);
      await renameOver(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  return {
    async read() {
      try {
        return await readFile(target, 'utf8');
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      }
    },
    write(text) {
      const done = earlier.then(() => replace(text));
      earlier = done.catch(() => undefined);
      return done;
    },
    async lock() {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      return await takeFileLock(target);
    },
    async hold() {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      return await holdFile(target);
    },
  };
}

/** Windows refuses to replace a file while another process reads it. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (attempt === 10 || !hasCode(error, 'EPERM', 'EACCES', 'EBUSY')) throw error;
      await delay(attempt * 10);
    }
  }
}

/** Removes the temporary files of processes that ended while they wrote. */
async function removeAbandoned(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith('.tmp')) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - abandonedAfterMs) await rm(file, { force: true });
  }
}
