import type { Logger } from 'pino';
import type { PlatformDb } from '../db/database.ts';
import { type Clock, type Timestamp, toTimestamp } from '../lib/clock.ts';
import { createWriteBehind, type WriteBehind } from '../lib/write-behind.ts';
import { postponeRow, type WakeUp, writeWakeUps } from './queries.ts';

const maxDelayMs = 1000;
/** A safety row falls due 60 s after it is written; it is rewritten after 30 s. */
const safetyRowDelayMs = 60_000;
/** Longer than any transaction: its safety row must not fall due before it commits. */
const safetyRowMarginMs = 30_000;
/** Maximum safety rows in the cache. At the maximum the cache is cleared, and rows are rewritten when needed. */
const safetyRowsMax = 20_000;

/** A safety row that this process has written. */
interface SafetyRow {
  readonly dueMs: number;
  readonly written: Promise<void>;
}

interface JobWakeUpsOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Records in the platform database which tenant has work of which kind, and when. Wake-ups are buffered in memory, the
 * earliest time per tenant and kind. A wake-up that is due within a second is written at once, any other within a second.
 * If the process dies first, the kind's daily run finds the work, or a safety row that was written before the commit.
 */
export class JobWakeUps {
  readonly #waiting: WriteBehind<string, WakeUp>;
  readonly #platform: PlatformDb;
  readonly #clock: Clock;
  readonly #safetyRows = new Map<string, SafetyRow>();
  #isFlushing = false;
  #wakeRunner: () => void = () => undefined;

  constructor({ platform, clock, logger }: JobWakeUpsOptions) {
    this.#platform = platform;
    this.#clock = clock;
    this.#waiting = createWriteBehind<string, WakeUp>({
      maxDelayMs,
      flush: async (batch) => {
        const wakeUps = [...batch.values()];
        const at = clock.now();
        await writeWakeUps(platform, wakeUps, at);
        if (wakeUps.some((wakeUp) => wakeUp.dueAt <= at)) this.#wakeRunner();
      },
      merge: (older, newer) => (older.dueAt < newer.dueAt ? older : newer),
      onError: (error) => logger.warn({ err: error }, 'writing wake-ups of background jobs failed; retrying in 1 s'),
    });
  }

  /**
   * Schedules a run for work due at `dueAt`. The caller must have committed the change that created the work. Does no
   * I/O before it returns; wake-ups of one event-loop iteration are written together.
   */
  scheduleAfterCommit(tenantId: string, kind: string, dueAt: Timestamp): void {
    this.#waiting.record(`${kind} ${tenantId}`, { subjectId: tenantId, kind, dueAt });
    // The row must be written before it is due.
    if (this.#isFlushing || dueAt > toTimestamp(this.#clock.nowMs() + maxDelayMs)) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      void this.flush();
    });
  }

  /**
   * Guarantees a run of `kind` within a minute of the commit that follows, even if this process dies, by writing a
   * safety row. The caller must await it at the end of the transaction. Writes to the platform database at most once
   * per tenant, kind and 30 s.
   */
  async scheduleBeforeCommit(tenantId: string, kind: string): Promise<void> {
    const key = `${kind} ${tenantId}`;
    const nowMs = this.#clock.nowMs();
    let row = this.#safetyRows.get(key);
    // A later time cannot have been written: the clock was set back.
    const isPlausible = row !== undefined && row.dueMs <= nowMs + safetyRowDelayMs;
    if (row === undefined || !isPlausible || row.dueMs <= nowMs + safetyRowMarginMs) {
      const dueAt = toTimestamp(nowMs + safetyRowDelayMs);
      const written = postponeRow(this.#platform, { subjectId: tenantId, kind, dueAt }, this.#clock.now());
      row = { dueMs: nowMs + safetyRowDelayMs, written };
      if (this.#safetyRows.size >= safetyRowsMax) this.#safetyRows.clear();
      this.#safetyRows.set(key, row);
      written.catch(() => this.#safetyRows.delete(key));
    }
    await row.written;
  }

  /** Makes the runner of this process poll now. Call it after a commit that enqueued work due now. */
  wakeRunner(): void {
    this.#wakeRunner();
  }

  /** Sets the function to call when work that is due now has been written; it replaces an earlier one. */
  whenDue(listener: () => void): void {
    this.#wakeRunner = listener;
  }

  /** Writes all buffered wake-ups. */
  flush(): Promise<void> {
    return this.#waiting.flush();
  }

  /** Writes all buffered wake-ups and stops buffering. */
  close(): Promise<void> {
    return this.#waiting.close();
  }
}
