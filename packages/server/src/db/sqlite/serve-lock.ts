import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDataDir } from '../../config/data-dir.ts';
import { fromSqliteError, isSqliteBusy } from '../errors.ts';

/** The lock that the only process serving an embedded data directory holds. */
export interface ServeLock {
  release(): void;
}

/**
 * Takes the lock of a data directory. Throws if another `serve` holds it or the directory is not writable. It is
 * SQLite's file lock on `serve.lock`, which the operating system releases when the process dies, so no stale lock
 * remains. Commands that may run beside a running service do not take it.
 */
export function takeServeLock(dataDir: string): ServeLock {
  makeDataDir(dataDir);
  const file = lockFile(dataDir);
  const lock = openLock(file);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isSqliteBusy(error)) throw fromSqliteError(error, file);
    throw new Error(
      `Another process already serves ${dataDir}: stop it, or set another DATA_DIR (and PORT) for this one.`,
      { cause: error },
    );
  }
  return { release: () => lock.close() };
}

/** Returns true while a process serves the data directory. Throws if its lock cannot be read. */
export function isServed(dataDir: string): boolean {
  if (!existsSync(lockFile(dataDir))) return false;
  try {
    takeServeLock(dataDir).release();
    return false;
  } catch (error) {
    if (error instanceof Error && isSqliteBusy(error.cause)) return true;
    throw error;
  }
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'serve.lock');
}

function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw fromSqliteError(error, file);
  }
}
