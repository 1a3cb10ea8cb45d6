/** The server is busy when opening a connection takes this many times as long as it can. */
const busyRatio = 2;
/** Weight of the newest duration in the average. */
const newestWeight = 0.1;
/** The shortest duration rises by this factor at each opening, so that it follows a server that became slower. */
const forgetting = 1.00002;
const slowDown = 0.98;
const speedUp = 0.1;

/**
 * How many connections can be opened at a time before the server only opens each of them more slowly. More than that
 * do not serve more callers, and cost other databases their connections.
 */
export class OpeningPace {
  readonly #max: number;
  readonly #min: number;
  #limit: number;
  #shortestMs = Number.POSITIVE_INFINITY;
  #averageMs = 0;

  /** The limit starts at `max`, and is at least a quarter of it. */
  constructor(max: number) {
    this.#max = max;
    this.#min = Math.max(1, max / 4);
    this.#limit = max;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Adjusts the limit after a connection was opened in `durationMs`. */
  record(durationMs: number): void {
    this.#shortestMs = Math.min(durationMs, this.#shortestMs * forgetting);
    this.#averageMs += (durationMs - this.#averageMs) * newestWeight;
    const isBusy = this.#averageMs > busyRatio * this.#shortestMs;
    this.#limit = isBusy ? Math.max(this.#min, this.#limit * slowDown) : Math.min(this.#max, this.#limit + speedUp);
  }
}
