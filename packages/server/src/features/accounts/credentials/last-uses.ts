import type { Logger } from 'pino';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { createWriteBehind, type WriteBehind } from '../../../lib/write-behind.ts';
import type { CredentialTable } from './credential.ts';

const maxDelayMs = 1000;

const names: Readonly<Record<CredentialTable, string>> = {
  api_keys: 'API keys',
  tenant_access_tokens: 'access tokens',
};

interface LastUsesOptions {
  readonly platform: PlatformDb;
  readonly logger: Logger;
  readonly table: CredentialTable;
}

/** Buffers the `last_used_at` of credentials in memory and writes them in one transaction at most 1 s later. */
export class LastUses {
  readonly #uses: WriteBehind<string, number>;

  constructor({ platform, logger, table }: LastUsesOptions) {
    this.#uses = createWriteBehind<string, number>({
      maxDelayMs,
      flush: (batch) => writeUses(platform, table, batch),
      onError: (error) => logger.warn({ err: error }, `writing last_used_at of ${names[table]} failed; retrying`),
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
  table: CredentialTable,
  batch: ReadonlyMap<string, number>,
): Promise<void> {
  // Two nodes that flush the same credentials lock the rows in the order of ids, so that they cannot deadlock.
  const uses = [...batch].sort(([left], [right]) => (left < right ? -1 : 1));
  const writeAll = async (tx: PlatformTransaction) => {
    for (const [id, atMs] of uses) await writeLastUse(tx, table, id, toTimestamp(atMs));
  };
  await platform.transaction(writeAll, { mayLoseChanges: true });
}

/** Keeps a newer time that is stored. */
async function writeLastUse(
  tx: PlatformTransaction,
  table: CredentialTable,
  id: string,
  lastUsedAt: Timestamp,
): Promise<void> {
  await tx
    .updateTable(table)
    .set({ last_used_at: lastUsedAt })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', lastUsedAt)]))
    .execute();
}
