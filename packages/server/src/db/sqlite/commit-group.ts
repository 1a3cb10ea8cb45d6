/**
 * Finished transactions of one connection that wait for the same COMMIT. Each COMMIT waits for the disk, so sharing one
 * makes many transactions durable in the time of one.
 */
export interface CommitGroup {
  /** The number of waiting transactions. */
  readonly size: number;
  /**
   * Resolves when the group is committed. Rejects if the COMMIT failed: then no transaction of the group took effect.
   */
  join(): Promise<void>;
  /**
   * Keeps the group open for one iteration of the event loop and then calls `commit`. On SQLite a request runs from its
   * last byte to its commit without a pause, so without this delay no other transaction could join.
   */
  keepOpen(commit: () => void): void;
  /** Cancels the delay. Returns true if the group was kept open; the caller then holds the transaction queue. */
  resume(): boolean;
  /** Ends the group and starts an empty one. With a failure, every member is rejected with it. */
  end(failure?: unknown): void;
}

/** Creates the group of one connection. */
export function createCommitGroup(): CommitGroup {
  let waiting: PromiseWithResolvers<void>[] = [];
  let delayed: NodeJS.Immediate | undefined;
  return {
    get size() {
      return waiting.length;
    },
    join() {
      const member = Promise.withResolvers<void>();
      waiting.push(member);
      return member.promise;
    },
    keepOpen(commit) {
      delayed = setImmediate(() => {
        delayed = undefined;
        commit();
      });
    },
    resume() {
      if (delayed === undefined) return false;
      clearImmediate(delayed);
      delayed = undefined;
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
