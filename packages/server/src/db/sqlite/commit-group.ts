/**
 * Transactions of one connection that have ended and wait for the same COMMIT. Each commit waits for the disk; one
 * that serves many transactions lets many be durable in the time of one.
 */
export interface CommitGroup {
  /** How many wait. */
  readonly size: number;
  /** Resolves when the group is committed, rejects when it was not: then nothing of it took effect. */
  join(): Promise<void>;
  /**
   * Leaves the group open until the event loop has turned, and then calls `commit`: on the embedded engine a request
   * goes from its last byte to its commit without a pause, so that others come in between only if somebody waits.
   */
  linger(commit: () => void): void;
  /** Ends the lingering: true when the group lingered. The turn is the caller's then. */
  resume(): boolean;
  /** Ends the group and begins an empty one. With a failure, everybody in it is told. */
  end(failure?: unknown): void;
}

/** Makes the group of one connection. */
export function createCommitGroup(): CommitGroup {
  let waiting: PromiseWithResolvers<void>[] = [];
  let lingering: NodeJS.Immediate | undefined;
  return {
    get size() {
      return waiting.length;
    },
    join() {
      const member = Promise.withResolvers<void>();
      waiting.push(member);
      return member.promise;
    },
    linger(commit) {
      lingering = setImmediate(() => {
        lingering = undefined;
        commit();
      });
    },
    resume() {
      if (lingering === undefined) return false;
      clearImmediate(lingering);
      lingering = undefined;
      return true;
    },
    end(failure) {
      const ended = waiting;
      waiting = [];
      for (const { resolve, reject } of ended) {
        if (failure === undefined) resolve();
        else reject(failure);
      }
    },
  };
}
