import type { Logger } from 'pino';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { createWriteBehind, type WriteBehind } from '../../../lib/write-behind.ts';

const maxDelayMs = 1000;

/** Buffers the `last_used_at` of API keys in memory and writes them in one transaction at most 1 s later. */
export class ApiKeyUsage {
  readonly #uses: WriteBehind<string, number>;

  constructor(platform: PlatformDb, logger: Logger) {
    this.#uses = createWriteBehind<string, number>({
      maxDelayMs,
      flush: (batch) => writeUses(platform, batch),
      onError: (error) => logger.warn({ err: error }, 'writing last_used_at of API keys failed; retrying'),
    });
  }

  record(keyId: string, atMs: number): void {
    this.#uses.record(keyId, atMs);
  }

  /** Returns the newer of the stored and the buffered value, so that every read shows the newest value. */
  newest(keyId: string, stored: Timestamp | null): Timestamp | null {
    const waitingMs = this.#uses.peek(keyId);
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

async function writeUses(platform: PlatformDb, batch: ReadonlyMap<string, number>): Promise<void> {
  // Two nodes that flush the same keys lock the rows in the order of ids, so that they cannot deadlock.
  const uses = [...batch].sort(([left], [right]) => (left < right ? -1 : 1));
  const write = async (tx: PlatformTransaction) => {
    for (const [id, atMs] of uses) {
      const lastUsedAt = toTimestamp(atMs);
      await tx
        .updateTable('api_keys')
        .set({ last_used_at: lastUsedAt })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', lastUsedAt)]))
        .execute();
    }
  };
  await platform.transaction(write, { mayLoseChanges: true });
}
