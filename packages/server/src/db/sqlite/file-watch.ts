import { type Stats, statSync } from 'node:fs';

/** Reads check the file at most once per second; writes check it every time. */
const checkEveryMs = 1_000;

/**
 * Checks whether the file of an open database is still the one that was opened. SQLite does not detect this: it would
 * continue with a deleted file, or mix cached pages with those of the file that replaced it.
 */
export class SqliteFileWatch {
  readonly #path: string;
  /** Called after the file was written to: by another process, by a checkpoint, or by a copy over it. */
  readonly #isStillOwn: () => boolean;
  #seen: Stats | undefined;
  #nextCheckMs = 0;

  constructor(path: string, isStillOwn: () => boolean) {
    this.#path = path;
    this.#isStillOwn = isStillOwn;
    this.#seen = this.#stat();
    this.#nextCheckMs = performance.now() + checkEveryMs;
  }

  /** False if the file is missing, was replaced, or contains another database. */
  isInPlace(use: 'read' | 'write'): boolean {
    const nowMs = performance.now();
    if (use === 'read' && nowMs < this.#nextCheckMs) return true;
    const seen = this.#stat();
    if (seen === undefined || seen.ino !== this.#seen?.ino || seen.dev !== this.#seen.dev) return false;
    if (nowMs < this.#nextCheckMs) return true;
    this.#nextCheckMs = nowMs + checkEveryMs;
    const isWritten = seen.mtimeMs !== this.#seen.mtimeMs || seen.size !== this.#seen.size;
    this.#seen = seen;
    return !isWritten || this.#isStillOwn();
  }

  #stat(): Stats | undefined {
    try {
      return statSync(this.#path, { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  }
}
