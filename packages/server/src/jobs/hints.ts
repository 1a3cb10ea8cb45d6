import type { Logger } from 'pino';
import type { PlatformDb } from '../db/database.ts';
import type { Clock, Timestamp } from '../lib/clock.ts';
import { createWriteBehind, type WriteBehind } from '../lib/write-behind.ts';
import { type Hint, writeHints } from './queries.ts';

const maxDelayMs = 1000;

interface JobHintsOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Tells the platform database which tenant has work of which kind, and when: gathered in memory, the earliest moment
 * per tenant and kind, and written at most a second later. What a process that dies has not written, the daily run of
 * the kind finds.
 */
export class JobHints {
  readonly #waiting: WriteBehind<string, Hint>;
  #onDue: () => void = () => undefined;

  constructor({ platform, clock, logger }: JobHintsOptions) {
    this.#waiting = createWriteBehind<string, Hint>({
      maxDelayMs,
      flush: async (batch) => {
        const hints = [...batch.values()];
        const at = clock.now();
        await writeHints(platform, hints, at);
        if (hints.some((hint) => hint.dueAt <= at)) this.#onDue();
      },
      merge: (older, newer) => (older.dueAt < newer.dueAt ? older : newer),
      onError: (error) => logger.warn({ err: error }, 'hints of background work were not written; it is tried again'),
    });
  }

  /** Notes that a tenant has work due at a moment. Call it after the commit that made the work. Costs no I/O. */
  note(tenantId: string, kind: string, dueAt: Timestamp): void {
    this.#waiting.record(`${kind} ${tenantId}`, { tenantId, kind, dueAt });
  }

  /** Calls `listener` whenever work was written that is due already. */
  whenDue(listener: () => void): void {
    this.#onDue = listener;
  }

  flush(): Promise<void> {
    return this.#waiting.flush();
  }

  close(): Promise<void> {
    return this.#waiting.close();
  }
}
