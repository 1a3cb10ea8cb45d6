/** Gives one connection's transactions their turns, first come first served; single statements go between them. */
export interface TransactionGate {
  /** True while a transaction has its turn. */
  readonly isTaken: boolean;
  /** Resolves when the caller has the turn; the caller must call `leave`. */
  enter(): Promise<void>;
  leave(): void;
  /** Runs `statement` as soon as no transaction has its turn. */
  whenFree<Result>(statement: () => Result): Promise<Result>;
}

/** Makes the gate of one connection. */
export function createTransactionGate(): TransactionGate {
  let isTaken = false;
  const waitingTransactions: (() => void)[] = [];
  let waitingStatements: (() => void)[] = [];

  return {
    get isTaken() {
      return isTaken;
    },
    enter() {
      if (isTaken) return new Promise((resolve) => waitingTransactions.push(resolve));
      isTaken = true;
      return Promise.resolve();
    },
    leave() {
      isTaken = false;
      // Statements end before they return, so letting all of them pass delays the next transaction only by their own time.
      const statements = waitingStatements;
      waitingStatements = [];
      for (const statement of statements) statement();
      const next = waitingTransactions.shift();
      if (next === undefined) return;
      isTaken = true;
      next();
    },
    whenFree(statement) {
      if (!isTaken) return new Promise((resolve) => resolve(statement()));
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
