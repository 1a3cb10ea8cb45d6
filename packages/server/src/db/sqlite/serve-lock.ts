import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'serve.lock');
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

function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw fromSqliteError(error, file);
  }
}
