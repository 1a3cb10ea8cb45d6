import { type Stats, statSync } from 'node:fs';

/** How long an exchange of the file may go unnoticed by reads; whoever writes looks each time. */
const lookEveryMs = 1_000;

/**
 * Looks whether the file of an open database is still the one that was opened. SQLite itself does not notice: it would
 * go on with a file that has no name any more, and mix what it remembers with what stands in the file now.
 */
export class SqliteFileWatch {
  readonly #path: string;
  /** Asked when somebody wrote to the file: another process, a checkpoint, or a copy over it. */
  readonly #isOwnStill: () => boolean;
  #seen: Stats | undefined;
  #nextLookMs = 0;

  constructor(path: string, isOwnStill: () => boolean) {
    this.#path = path;
    this.#isOwnStill = isOwnStill;
    this.#seen = this.#stat();
    this.#nextLookMs = performance.now() + lookEveryMs;
  }

  /** False when the file is gone, is another one, or holds something else. */
  isInPlace(use: 'read' | 'write'): boolean {
    const nowMs = performance.now();
    if (use === 'read' && nowMs < this.#nextLookMs) return true;
    const seen = this.#stat();
    if (seen === undefined || seen.ino !== this.#seen?.ino || seen.dev !== this.#seen.dev) return false;
    if (nowMs < this.#nextLookMs) return true;
    this.#nextLookMs = nowMs + lookEveryMs;
    const isWritten = seen.mtimeMs !== this.#seen.mtimeMs || seen.size !== this.#seen.size;
    this.#seen = seen;
    return !isWritten || this.#isOwnStill();
  }

  #stat(): Stats | undefined {
    try {
      return statSync(this.#path, { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  }
}
