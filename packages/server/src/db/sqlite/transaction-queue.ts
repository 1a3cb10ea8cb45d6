/** `transaction`: runs on the shared connection. `bulk`: runs on a separate connection to the same database. */
type TransactionKind = 'transaction' | 'bulk';

/** Runs a database's transactions one at a time in order of arrival. Single statements run between them. */
export interface TransactionQueue {
  /** The kind of the running transaction; undefined while no transaction runs. */
  readonly current: TransactionKind | undefined;
  /** Resolves when the caller's transaction may run. The caller must call `leave` afterwards. */
  enter(kind: TransactionKind): Promise<void>;
  /** Ends the running transaction: runs every waiting statement, then admits the next transaction. */
  leave(): void;
  /** True if a transaction waits for the end of the running one. */
  readonly hasWaitingTransaction: boolean;
  /** Admits the next waiting transaction of the shared connection without `leave`. Returns false if it must not. */
  admitNext(): boolean;
  /** True if a statement must wait. During a bulk transaction only writes wait. */
  blocks(statement: 'read' | 'write'): boolean;
  /** Runs `statement` when the running transaction ends, or immediately if there is no running transaction. */
  afterCurrent<Result>(statement: () => Result): Promise<Result>;
}

interface WaitingTransaction {
  readonly kind: TransactionKind;
  readonly begin: () => void;
}

/** Creates the queue of one database. */
export function createTransactionQueue(): TransactionQueue {
  let current: TransactionKind | undefined;
  const waitingTransactions: WaitingTransaction[] = [];
  let waitingStatements: (() => void)[] = [];

  return {
    get current() {
      return current;
    },
    enter(kind) {
      if (current !== undefined) return new Promise((begin) => waitingTransactions.push({ kind, begin }));
      current = kind;
      return Promise.resolve();
    },
    leave() {
      current = undefined;
      // Statements are synchronous, so running all of them first delays the next transaction only by their own
      // duration.
      const statements = waitingStatements;
      waitingStatements = [];
      for (const statement of statements) statement();
      const next = waitingTransactions.shift();
      if (next === undefined) return;
      current = next.kind;
      next.begin();
    },
    get hasWaitingTransaction() {
      return waitingTransactions.length > 0;
    },
    admitNext() {
      // A waiting statement runs first, and a bulk transaction needs another connection.
      if (waitingStatements.length > 0 || waitingTransactions[0]?.kind !== 'transaction') return false;
      waitingTransactions.shift()?.begin();
      return true;
    },
    blocks: (statement) => current === 'transaction' || (current === 'bulk' && statement === 'write'),
    afterCurrent(statement) {
      if (current === undefined) return new Promise((resolve) => resolve(statement()));
      return new Promise((resolve, reject) => {
        waitingStatements.push(() => {
          try {
            resolve(statement());
          } catch (error) {
            reject(error);
          }
        });
      });
    },
  };
}

/**
 * Finished transactions of one connection that wait for the same COMMIT. Each COMMIT waits for the disk, so sharing one
 * makes many transactions durable in the time of one.
 */
export interface CommitGroup {
  /** The number of waiting transactions. */
  readonly size: number;
  /** True while the COMMIT of the group does not wait for the disk. */
  mayLoseChanges: boolean;
  /**
   * Resolves when the group is committed. Rejects if the COMMIT failed: then no transaction of the group took effect.
   */
  join(): Promise<void>;
  /**
   * Keeps the group open until the end of this iteration of the event loop and then calls `commit`. On SQLite a request
   * runs from its last byte to its commit without a pause, so without this delay no other transaction could join. Reads
   * that arrive meanwhile wait: each would otherwise force a flush, which takes as long as several of them.
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
    mayLoseChanges: false,
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
