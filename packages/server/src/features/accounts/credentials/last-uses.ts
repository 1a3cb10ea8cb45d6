import type { Logger } from 'pino';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { createWriteBehind, type WriteBehind } from '../../../lib/write-behind.ts';

const maxDelayMs = 1000;

interface LastUsesOptions {
  readonly platform: PlatformDb;
  readonly logger: Logger;
  /** The name of the credentials in a log message, such as `API keys`. */
  readonly credentials: string;
  /** Stores the last use of one credential, unless a newer one is stored. */
  readonly write: (tx: PlatformTransaction, id: string, lastUsedAt: Timestamp) => Promise<void>;
}

/** Buffers the `last_used_at` of credentials in memory and writes them in one transaction at most 1 s later. */
export class LastUses {
  readonly #uses: WriteBehind<string, number>;

  constructor({ platform, logger, credentials, write }: LastUsesOptions) {
    this.#uses = createWriteBehind<string, number>({
      maxDelayMs,
      flush: (batch) => writeUses(platform, write, batch),
      onError: (error) => logger.warn({ err: error }, `writing last_used_at of ${credentials} failed; retrying`),
    });
  }

  record(id: string, atMs: number): void {
    this.#uses.record(id, atMs);
  }

  /** Returns the newer of the stored and the buffered value, so that every read shows the newest value. */
  newest(id: string, stored: Timestamp | null): Timestamp | null {
    const waitingMs = this.#uses.peek(id);
    if (waitingMs === undefined) return stored;
    const waiting = toTimestamp(waitingMs);
    return stored === null || waiting > stored ? waiting : stored;
  }

  flush(): Promise<void> {
    return this.#uses.flush();
  }

  close(): Promise<void> {
    return this.#uses.close();
  }
}

async function writeUses(
  platform: PlatformDb,
  write: LastUsesOptions['write'],
  batch: ReadonlyMap<string, number>,
): Promise<void> {
  // Two nodes that flush the same credentials lock the rows in the order of ids, so that they cannot deadlock.
  const uses = [...batch].sort(([left], [right]) => (left < right ? -1 : 1));
  const writeAll = async (tx: PlatformTransaction) => {
    for (const [id, atMs] of uses) await write(tx, id, toTimestamp(atMs));
  };
  await platform.transaction(writeAll, { mayLoseChanges: true });
}
