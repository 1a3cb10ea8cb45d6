import { DatabaseUnavailableError } from '../errors.ts';
import { tooManyWait, waitingMax } from './client.ts';
import { type ConnectionSource, ServerConnection } from './server-connection.ts';
import { WaitQueue } from './wait-queue.ts';

interface TransactionConnectionOptions {
  /** `requests`: the connection is kept for the next transaction. `bulk`: it is closed after each transaction. */
  readonly use: 'requests' | 'bulk';
  /** How long a transaction waits for the transactions before it. */
  readonly waitMs: number;
  /** Returns an idle connection to the same database, which its owner then no longer uses. */
  readonly findSpare?: () => ServerConnection | undefined;
}

/** Runs the transactions of one database one at a time on a connection that serves only them. */
export class TransactionConnection {
  readonly #source: ConnectionSource;
  readonly #options: TransactionConnectionOptions;
  readonly #queue = new WaitQueue<null, void>();
  #isTaken = false;
  #kept: ServerConnection | undefined;

  constructor(source: ConnectionSource, options: TransactionConnectionOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Resolves with the connection for one transaction, which must return it by `giveBack`. */
  async borrow(): Promise<ServerConnection> {
    await this.#enter();
    try {
      const kept = this.isOpen ? this.#kept : this.#options.findSpare?.();
      this.#kept = kept ?? (await ServerConnection.open(this.#source, this.#options.use));
      this.#kept.begin();
      return this.#kept;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Returns the connection. `isReusable`: the transaction has ended and the connection works. */
  giveBack(connection: ServerConnection, isReusable: boolean): void {
    if (!isReusable || this.#options.use === 'bulk') connection.vacate();
    connection.end();
    this.#leave();
  }

  /** True if a transaction needs no new connection. */
  get isOpen(): boolean {
    return this.#kept?.isUsable === true;
  }

  /** Returns the connection and stops using it; undefined while a transaction uses it. */
  spare(): ServerConnection | undefined {
    if (this.#isTaken || this.#kept?.isIdle !== true) return undefined;
    const spare = this.#kept;
    this.#kept = undefined;
    return spare;
  }

  /** Closes the connection. `borrow` must not be called afterwards. */
  async close(): Promise<void> {
    this.#kept?.vacate();
    await this.#kept?.closed;
  }

  async #enter(): Promise<void> {
    if (this.#queue.length >= waitingMax) throw tooManyWait(this.#source.server);
    if (this.#isTaken) await this.#queue.join(null, this.#options.waitMs, () => this.#timeoutError());
    this.#isTaken = true;
  }

  #leave(): void {
    // Admits the next transaction in the same step, so that no later one can come before it.
    this.#isTaken = this.#queue.admitNext(
      () => true,
      () => undefined,
    );
  }

  #timeoutError(): DatabaseUnavailableError {
    const seconds = this.#options.waitMs / 1000;
    return new DatabaseUnavailableError(
      `The transactions of ${this.#source.server} took longer than ${seconds} s: try again.`,
    );
  }
}
