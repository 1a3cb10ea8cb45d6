/**
 * Transactions of one connection that have ended and wait for the same COMMIT. Each commit waits for the disk; one
 * that serves many transactions lets many be durable in the time of one.
 */
export interface CommitGroup {
  /** How many wait. */
  readonly size: number;
  /** Resolves when the group is committed, rejects when it was not: then nothing of it took effect. */
  join(): Promise<void>;
  /** Ends the group and begins an empty one. With a failure, everybody in it is told. */
  end(failure?: unknown): void;
}

/** Makes the group of one connection. */
export function createCommitGroup(): CommitGroup {
  let waiting: PromiseWithResolvers<void>[] = [];
  return {
    get size() {
      return waiting.length;
    },
    join() {
      const member = Promise.withResolvers<void>();
      waiting.push(member);
      return member.promise;
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
