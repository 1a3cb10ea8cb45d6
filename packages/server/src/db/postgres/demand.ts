/** The uses of the last seconds count most: after this time a use counts for a third (1/e). */
const memoryMs = 5_000;

/** How often a database was used in the last seconds. It outlives the database's connections. */
export class Demand {
  #uses = 0;
  #countedAtMs = 0;

  /** Counts one statement or transaction, when it is requested. */
  record(): void {
    const nowMs = performance.now();
    this.#uses = this.#usesAt(nowMs) + 1;
    this.#countedAtMs = nowMs;
  }

  /** The number of uses, of which older ones count less and less. */
  get recentUses(): number {
    return this.#usesAt(performance.now());
  }

  #usesAt(nowMs: number): number {
    return this.#uses * Math.exp((this.#countedAtMs - nowMs) / memoryMs);
  }
}
