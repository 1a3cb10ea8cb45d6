/** The set of nodes in Valkey. */
export const nodesKey = 'licensing:nodes';
/** A node that was silent for so long is gone. */
export const nodeSilenceMs = 10_000;

/**
 * How many nodes share the ceilings, as far as this one knows. It believes that there are fewer only after a while: a
 * Valkey that just came back does not know yet who there is.
 */
export class LiveNodes {
  #count = 1;
  #believedUntilMs = 0;

  /** At least 1. */
  get count(): number {
    return this.#count;
  }

  /** Takes in how many there are. */
  note(count: number): void {
    const nowMs = performance.now();
    if (count < this.#count && nowMs < this.#believedUntilMs) return;
    this.#count = Math.max(count, 1);
    this.#believedUntilMs = nowMs + nodeSilenceMs;
  }
}
