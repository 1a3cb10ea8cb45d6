/** The key of the sorted set of live nodes in Valkey. */
export const nodesKey = 'licensing:nodes';
/** A node without a heartbeat for this long is no longer counted. */
export const nodeSilenceMs = 10_000;

/**
 * The number of live nodes that share the rate limits, as this node knows it. A smaller number is accepted only after
 * `nodeSilenceMs`, because a restarted Valkey does not yet know all nodes.
 */
export class LiveNodes {
  #count = 1;
  #trustedUntilMs = 0;

  /** The number of live nodes, at least 1. */
  get count(): number {
    return this.#count;
  }

  /** Records the number of nodes that Valkey reported. */
  note(count: number): void {
    const nowMs = performance.now();
    if (count < this.#count && nowMs < this.#trustedUntilMs) return;
    this.#count = Math.max(count, 1);
    this.#trustedUntilMs = nowMs + nodeSilenceMs;
  }
}
