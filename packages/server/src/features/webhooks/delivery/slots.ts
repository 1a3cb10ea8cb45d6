/** Counts the deliveries that one run has claimed and not recorded yet. */
export class RunSlots {
  readonly #limit: number;
  #held = 0;
  #unsent = 0;
  #detached = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of claimed deliveries that hold a slot: neither detached nor recorded. */
  get held(): number {
    return this.#held;
  }

  /** Number of detached deliveries that are not recorded yet; they hold no slot. */
  get detached(): number {
    return this.#detached;
  }

  /**
   * Slots that the next claim may use. A delivery with a result no longer counts, unless recording is slower than
   * sending: the run never holds more than twice its limit.
   */
  get free(): number {
    return Math.min(this.#limit - this.#unsent, 2 * this.#limit - this.#held);
  }

  claim(count: number): void {
    this.#held += count;
    this.#unsent += count;
  }

  /** Releases the slot of a delivery whose request continues. */
  detach(): void {
    this.#held -= 1;
    this.#unsent -= 1;
    this.#detached += 1;
  }

  /** Counts the result of a delivery that still holds its slot. */
  addResult(): void {
    this.#unsent -= 1;
  }

  /** Releases deliveries whose results were recorded. */
  release(held: number, detached: number): void {
    this.#held -= held;
    this.#detached -= detached;
  }
}
