/** `transaction`: on the connection that everybody shares. `bulk`: on a connection of its own to the same database. */
type Turn = 'transaction' | 'bulk';

/** Gives a database's transactions their turns, first come first served; single statements go between them. */
export interface TransactionQueue {
  /** Whose turn it is. */
  readonly turn: Turn | undefined;
  /** Resolves when the caller has the turn; the caller must call `leave`. */
  enter(turn: Turn): Promise<void>;
  leave(): void;
  /** True when somebody waits for the end of the present turn. */
  readonly isAwaited: boolean;
  /** Gives the turn straight to the next transaction of the same connection: false, and nothing happens, when there is none. */
  passOn(): boolean;
  /** True when a statement must wait: beside a bulk transaction only what writes. */
  blocks(statement: 'read' | 'write'): boolean;
  /** Runs `statement` at the end of the present turn, or at once when it is nobody's. */
  afterTurn<Result>(statement: () => Result): Promise<Result>;
}

interface WaitingTransaction {
  readonly turn: Turn;
  readonly begin: () => void;
}

/** Makes the queue of one database. */
export function createTransactionQueue(): TransactionQueue {
  let present: Turn | undefined;
  const waitingTransactions: WaitingTransaction[] = [];
  let waitingStatements: (() => void)[] = [];

  return {
    get turn() {
      return present;
    },
    enter(turn) {
      if (present !== undefined) return new Promise((begin) => waitingTransactions.push({ turn, begin }));
      present = turn;
      return Promise.resolve();
    },
    leave() {
      present = undefined;
      // Statements end before they return, so letting all of them pass delays the next transaction only by their own time.
      const statements = waitingStatements;
      waitingStatements = [];
      for (const statement of statements) statement();
      const next = waitingTransactions.shift();
      if (next === undefined) return;
      present = next.turn;
      next.begin();
    },
    get isAwaited() {
      return waitingTransactions.length > 0 || waitingStatements.length > 0;
    },
    passOn() {
      // A statement that waits goes first, and a bulk transaction has another connection.
      if (waitingStatements.length > 0 || waitingTransactions[0]?.turn !== 'transaction') return false;
      waitingTransactions.shift()?.begin();
      return true;
    },
    blocks: (statement) => present === 'transaction' || (present === 'bulk' && statement === 'write'),
    afterTurn(statement) {
      if (present === undefined) return new Promise((resolve) => resolve(statement()));
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
