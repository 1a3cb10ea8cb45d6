import type { Timers } from '../../src/index.ts';

/** Timers and clocks that only the test moves. */
export class ManualTimers implements Timers {
  /** True time in milliseconds since 1970; no clock setting changes it. */
  realMs = Date.parse('2026-11-20T12:00:00Z');
  readonly #onTime: (realMs: number) => void;
  /** By how much the machine's clock is ahead. */
  skewMs = 0;
  readonly #timers = new Map<number, { readonly dueMs: number; readonly task: () => void }>();
  #lastId = 0;

  /** `onTime` hears of each new time: a service in the same test follows it. */
  constructor(onTime: (realMs: number) => void = () => undefined) {
    this.#onTime = onTime;
  }

  readonly wallMs = (): number => this.realMs + this.skewMs;
  readonly monotonicMs = (): number => this.realMs;

  setTimeout(task: () => void, delayMs: number): unknown {
    this.#lastId += 1;
    // Runtimes count whole milliseconds too. A fraction would let a clock differ from the one whose time it takes over.
    this.#timers.set(this.#lastId, { dueMs: this.realMs + Math.trunc(delayMs), task });
    return this.#lastId;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(Number(timer));
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Ends the program that uses these timers. */
  kill(): void {
    this.#timers.clear();
  }

  /** Lets time pass, and after each timer waits until its work has set the next one. */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.realMs + durationMs;
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a.dueMs - b.dueMs);
      if (next === undefined || next[1].dueMs > endMs) break;
      const [id, { dueMs, task }] = next;
      this.#timers.delete(id);
      this.#pass(dueMs);
      const before = this.#lastId;
      task();
      // Cryptography runs on other threads, so no number of turns is enough.
      while (this.#lastId === before) await new Promise(setImmediate);
    }
    this.#pass(endMs);
  }

  #pass(untilMs: number): void {
    this.realMs = Math.max(this.realMs, untilMs);
    this.#onTime(this.realMs);
  }
}
