import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fromSqliteError, isSqliteBusy } from '../errors.ts';

/** Held by the one process that serves an embedded data directory. */
export interface ServeLock {
  release(): void;
}

/**
 * Takes the lock of a data directory, or throws when another `serve` holds it or the directory cannot be written. The operating system holds it for the
 * process (SQLite's own file lock on `serve.lock`), so a process that dies leaves no stale lock behind.
 * Commands that only work beside a running service do not take it.
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
