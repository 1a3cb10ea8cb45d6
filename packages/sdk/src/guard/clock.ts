/** What a `GuardClock` keeps between the runs of an application, in milliseconds since 1970. */
export interface ClockMemory {
  /** The latest time that was seen, in the time of the service. */
  latestMs: number;
  /** What must be added to this machine's clock to get the time of the service, as of the last answer. */
  offsetMs: number;
}

/**
 * Tells the time of the service from this machine's clock, and notices when that clock is set back. A clock that is
 * always wrong by the same amount disturbs nothing. While the process runs, time passes even if somebody holds the clock.
 */
export class GuardClock {
  readonly #wallMs: () => number;
  readonly #monotonicMs: () => number;
  readonly #toleranceMs: number;
  #lastMonotonicMs: number;
  #memory: ClockMemory = { latestMs: 0, offsetMs: 0 };

  constructor(wallMs: () => number, monotonicMs: () => number, toleranceMs: number) {
    this.#wallMs = wallMs;
    this.#monotonicMs = monotonicMs;
    this.#toleranceMs = toleranceMs;
    this.#lastMonotonicMs = monotonicMs();
  }

  get memory(): Readonly<ClockMemory> {
    return this.#memory;
  }

  /** Takes over what an earlier or another process has seen. */
  adopt({ latestMs, offsetMs }: ClockMemory): void {
    this.read();
    // Times with different offsets cannot be compared.
    const isSame = offsetMs === this.#memory.offsetMs;
    this.#memory = { latestMs: isSame ? Math.max(this.#memory.latestMs, latestMs) : latestMs, offsetMs };
  }

  /** Takes over the time of an answer of the service. It also corrects a clock that had been ahead. */
  synchronize(serverMs: number): void {
    this.#lastMonotonicMs = this.#monotonicMs();
    this.#memory = { latestMs: serverMs, offsetMs: serverMs - this.#wallMs() };
  }

  /** Returns the time, never before the latest one, and whether the clock was set back by more than the tolerance. */
  read(): { readonly nowMs: number; readonly isSetBack: boolean } {
    const monotonicMs = this.#monotonicMs();
    const passedMs = Math.max(0, monotonicMs - this.#lastMonotonicMs);
    this.#lastMonotonicMs = monotonicMs;
    const { latestMs: earlierMs, offsetMs } = this.#memory;
    const clockMs = this.#wallMs() + offsetMs;
    const atLeastMs = earlierMs + passedMs;
    this.#memory = { latestMs: Math.max(atLeastMs, clockMs), offsetMs };
    return { nowMs: this.#memory.latestMs, isSetBack: clockMs < atLeastMs - this.#toleranceMs };
  }
}
