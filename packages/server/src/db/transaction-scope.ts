import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely, Transaction } from 'kysely';

interface Scope {
  readonly owner: object;
  readonly outer: Scope | undefined;
  isOpen: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs `work` marked as part of a transaction of `owner`, so that `assertOutsideTransaction` detects it. */
async function insideTransaction<Result>(owner: object, work: () => Promise<Result>): Promise<Result> {
  const scope: Scope = { owner, outer: scopes.getStore(), isOpen: true };
  try {
    return await scopes.run(scope, work);
  } finally {
    scope.isOpen = false;
  }
}

/**
 * Throws if the caller runs inside a transaction of `owner`. On SQLite such a call would wait for the transaction that
 * waits for it; on PostgreSQL it would not see the transaction's uncommitted rows.
 */
export function assertOutsideTransaction(owner: object): void {
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) {
    if (scope.isOpen && scope.owner === owner) {
      throw new Error(
        'A statement was sent outside the open transaction of its database: use the transaction instead.',
      );
    }
  }
}

/** The transactions of one open database. */
export interface TransactionRunner<Tables> {
  /**
   * Runs `work` in a transaction of `query`, which is the database's own connection or another one to the same
   * database.
   */
  run<Result>(query: Kysely<Tables>, work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** Runs `transaction`, which calls `run` itself, possibly later. `settled` waits for it too. */
  track<Result>(transaction: () => Promise<Result>): Promise<Result>;
  /** Resolves when every transaction that was started has ended, with or without success. */
  settled(): Promise<void>;
}

/** Creates the runner of a database's transactions. `owner` identifies the database in `assertOutsideTransaction`. */
export function createTransactionRunner<Tables>(owner: object): TransactionRunner<Tables> {
  const running = new Set<Promise<unknown>>();
  const track: TransactionRunner<Tables>['track'] = async (transaction) => {
    assertOutsideTransaction(owner);
    const started = transaction();
    running.add(started);
    try {
      return await started;
    } finally {
      running.delete(started);
    }
  };
  return {
    track,
    run: (query, work) => track(() => query.transaction().execute((tx) => insideTransaction(owner, () => work(tx)))),
    async settled() {
      await Promise.allSettled(running);
    },
  };
}
