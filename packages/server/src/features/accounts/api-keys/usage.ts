import type { Logger } from 'pino';
import type { PlatformDb } from '../../../db/database.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { createWriteBehind, type WriteBehind } from '../../../lib/write-behind.ts';

const maxDelayMs = 1000;

/** `last_used_at` of API keys: gathered in memory and written together at most a second later. */
export class ApiKeyUsage {
  readonly #uses: WriteBehind<string, number>;

  constructor(platform: PlatformDb, logger: Logger) {
    this.#uses = createWriteBehind<string, number>({
      maxDelayMs,
      flush: (batch) => writeUses(platform, batch),
      onError: (error) =>
        logger.warn({ err: error }, 'last_used_at of API keys could not be written; it is tried again'),
    });
  }

  record(keyId: string, atMs: number): void {
    this.#uses.record(keyId, atMs);
  }

  /** The newer of what is stored and what waits to be written, so that every read shows the newest value. */
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
  // In the order of ids, so that two nodes that flush the same keys lock their rows in the same order.
  const uses = [...batch].sort(([left], [right]) => (left < right ? -1 : 1));
  await platform.transaction(async (tx) => {
    for (const [id, atMs] of uses) {
      const lastUsedAt = toTimestamp(atMs);
      await tx
        .updateTable('api_keys')
        .set({ last_used_at: lastUsedAt })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', lastUsedAt)]))
        .execute();
    }
  });
}
