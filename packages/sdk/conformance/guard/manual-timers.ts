import type { Timers } from '../../src/index.ts';

/** Timers and clocks that only a test moves. */
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

  /** Returns these timers for one program, whose waiting timers are then in `waiting`. */
  ownedBy(waiting: Set<unknown>): Timers {
    return {
      setTimeout: (task, delayMs) => {
        const timer = this.setTimeout(task, delayMs);
        waiting.add(timer);
        return timer;
      },
      clearTimeout: (timer) => {
        waiting.delete(timer);
        this.clearTimeout(timer);
      },
    };
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer fires, in true time; null without a timer. */
  get nextDueMs(): number | null {
    return this.#next()?.[1].dueMs ?? null;
  }

  /** Ends the program that uses these timers. */
  kill(): void {
    this.#timers.clear();
  }

  /** Runs the next timer, and waits until its work has set another one. */
  async fireNext(): Promise<void> {
    const next = this.#next();
    if (next === undefined) return;
    const [id, { task }] = next;
    this.#timers.delete(id);
    const before = this.#lastId;
    task();
    // Cryptography runs on other threads, so no number of turns is enough.
    while (this.#lastId === before) await new Promise(setImmediate);
  }

  /** Lets time pass, and fires each timer when it is due. */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.realMs + durationMs;
    for (;;) {
      const dueMs = this.nextDueMs;
      if (dueMs === null || dueMs > endMs) break;
      this.#pass(dueMs);
      await this.fireNext();
    }
    this.#pass(endMs);
  }

  #next() {
    const [next] = [...this.#timers].sort(([, one], [, other]) => one.dueMs - other.dueMs);
    return next;
  }

  #pass(untilMs: number): void {
    this.realMs = Math.max(this.realMs, untilMs);
    this.#onTime(this.realMs);
  }
}
