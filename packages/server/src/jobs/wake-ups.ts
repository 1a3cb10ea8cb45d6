import type { Logger } from 'pino';
import type { PlatformDb } from '../db/database.ts';
import { type Clock, type Timestamp, toTimestamp } from '../lib/clock.ts';
import { createWriteBehind, type WriteBehind } from '../lib/write-behind.ts';
import { postponeRow, type WakeUp, writeWakeUps } from './queries.ts';

const maxDelayMs = 1000;
/** A secured row is due so long after it was written, and counts as secured until shortly before that. */
const securedMs = 60_000;
/** Longer than any transaction that was begun while its row still counted as secured. */
const securedMarginMs = 30_000;
const securedMax = 20_000;

interface JobWakeUpsOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Tells the platform database which tenant has work of which kind, and when: gathered in memory, the earliest moment
 * per tenant and kind. What is due already is written at once, the rest at most a second later. What a process that
 * dies has not written, the daily run of the kind finds, or a row that was secured before.
 */
export class JobWakeUps {
  readonly #waiting: WriteBehind<string, WakeUp>;
  readonly #platform: PlatformDb;
  readonly #clock: Clock;
  readonly #secured = new Map<string, { readonly untilMs: number; readonly written: Promise<void> }>();
  #isFlushing = false;
  #onDue: () => void = () => undefined;

  constructor({ platform, clock, logger }: JobWakeUpsOptions) {
    this.#platform = platform;
    this.#clock = clock;
    this.#waiting = createWriteBehind<string, WakeUp>({
      maxDelayMs,
      flush: async (batch) => {
        const wakeUps = [...batch.values()];
        const at = clock.now();
        await writeWakeUps(platform, wakeUps, at);
        if (wakeUps.some((wakeUp) => wakeUp.dueAt <= at)) this.#onDue();
      },
      merge: (older, newer) => (older.dueAt < newer.dueAt ? older : newer),
      onError: (error) => logger.warn({ err: error }, 'wakeUps of background work were not written; it is tried again'),
    });
  }

  /**
   * Notes that a tenant has work due at a moment. Call it after the commit that made the work. The caller waits for no
   * I/O; all that is noted in one turn of the event loop is written together.
   */
  scheduleAfterCommit(tenantId: string, kind: string, dueAt: Timestamp): void {
    this.#waiting.record(`${kind} ${tenantId}`, { subjectId: tenantId, kind, dueAt });
    if (this.#isFlushing || dueAt > this.#clock.now()) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      void this.flush();
    });
  }

  /**
   * Sees to it that a run of `kind` begins within a minute of the commit that follows, whatever becomes of this process:
   * await it at the end of the transaction. It writes to the platform once per tenant and half a minute.
   */
  async scheduleBeforeCommit(tenantId: string, kind: string): Promise<void> {
    const key = `${kind} ${tenantId}`;
    const nowMs = this.#clock.nowMs();
    let secured = this.#secured.get(key);
    // Later than any that could have been written: the clock was set back.
    const isPlausible = secured !== undefined && secured.untilMs <= nowMs + securedMs;
    if (secured === undefined || !isPlausible || secured.untilMs <= nowMs + securedMarginMs) {
      const dueAt = toTimestamp(nowMs + securedMs);
      const written = postponeRow(this.#platform, { subjectId: tenantId, kind, dueAt }, this.#clock.now());
      secured = { untilMs: nowMs + securedMs, written };
      if (this.#secured.size >= securedMax) this.#secured.clear();
      this.#secured.set(key, secured);
      written.catch(() => this.#secured.delete(key));
    }
    await secured.written;
  }

  /** Tells the runner that work was enqueued which is due already. */
  wakeRunner(): void {
    this.#onDue();
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
