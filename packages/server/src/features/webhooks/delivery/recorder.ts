import type { Handled } from './results-service.ts';

/** The outcome of a claimed delivery. */
export interface Outcome {
  readonly handled: Handled;
  /** True if the delivery had released its slot of the run. */
  readonly isDetached: boolean;
}

/** Weight of a failure in a batch. Each failure is a separate statement, while successes share one. */
const failureWeight = 4;

/** Collects outcomes and writes them in batches, one batch at a time. */
export class Recorder {
  readonly #flushSize: number;
  readonly #write: (batch: readonly Outcome[]) => Promise<void>;
  #waiting: Outcome[] = [];
  #heldCount = 0;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  /**
   * `write` receives the collected outcomes as soon as there are `flushSize` successes: batches save commits, each of
   * which waits for the disk. `write` must not reject.
   */
  constructor(flushSize: number, write: (batch: readonly Outcome[]) => Promise<void>) {
    this.#flushSize = flushSize;
    this.#write = write;
  }

  /** Number of collected outcomes whose deliveries hold a slot. */
  get heldCount(): number {
    return this.#heldCount;
  }

  /** Collects an outcome. It is written at most `delayMs` milliseconds later, or after the current write. */
  add(outcome: Outcome, delayMs: number): void {
    this.#waiting.push(outcome);
    if (!outcome.isDetached) this.#heldCount += 1;
    this.#size += outcome.handled.attempt?.result.error === null ? 1 : failureWeight;
    if (this.#size >= this.#flushSize) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), delayMs);
  }

  /** Writes the collected outcomes. During a write the next batch is collected. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = undefined;
      this.flush();
    });
  }

  #writeWaiting(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#heldCount = 0;
    this.#size = 0;
    return this.#write(batch);
  }
}
