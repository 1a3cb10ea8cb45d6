import type { Handled } from './results-service.ts';

/** A result, and whether its delivery still held a place of the run. */
export interface Outcome {
  readonly handled: Handled;
  readonly isPlaced: boolean;
}

/** Each failure is a statement of its own, where successes share one. */
const failureWeight = 4;

/** Gathers results and has them written in batches, one after the other. */
export class Recorder {
  readonly #write: (batch: readonly Outcome[]) => Promise<void>;
  #waiting: Outcome[] = [];
  #placed = 0;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  readonly #flushSize: number;

  /** `write` gets what waits as soon as there are `flushSize` successes, since each commit waits for the disk. It does not reject. */
  constructor(flushSize: number, write: (batch: readonly Outcome[]) => Promise<void>) {
    this.#flushSize = flushSize;
    this.#write = write;
  }

  /** Those that wait to be written and hold a place. */
  get placed(): number {
    return this.#placed;
  }

  /** Takes a result, to be written at most `delayMs` later. */
  add(outcome: Outcome, delayMs: number): void {
    this.#waiting.push(outcome);
    if (outcome.isPlaced) this.#placed += 1;
    this.#size += outcome.handled.attempt?.result.error === null ? 1 : failureWeight;
    if (this.#size >= this.#flushSize) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), delayMs);
  }

  /** Writes what waits. While one batch is written the next one gathers. */
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
    this.#placed = 0;
    this.#size = 0;
    return this.#write(batch);
  }
}
