import { DatabaseUnavailableError } from '../errors.ts';
import { tooManyWait, waitingMax } from './client.ts';
import { type ConnectionSource, ServerConnection } from './server-connection.ts';
import { WaitQueue } from './wait-queue.ts';

interface TransactionConnectionOptions {
  /** `requests`: the connection is kept for the next transaction. `bulk`: it goes with its transaction. */
  readonly use: 'requests' | 'bulk';
  /** For how long a transaction waits for those before it. */
  readonly waitMs: number;
  /** Hands over a connection to the same database that nobody uses at present. */
  readonly findSpare?: () => ServerConnection | undefined;
}

/** The transactions of one database, one at a time, on a connection that does nothing else. */
export class TransactionConnection {
  readonly #source: ConnectionSource;
  readonly #options: TransactionConnectionOptions;
  readonly #line = new WaitQueue<null, void>();
  #isTaken = false;
  #kept: ServerConnection | undefined;

  constructor(source: ConnectionSource, options: TransactionConnectionOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Lends the connection to one transaction, which returns it by `giveBack`. */
  async borrow(): Promise<ServerConnection> {
    await this.#enter();
    try {
      if (this.#kept?.isUsable !== true) {
        this.#kept = this.#options.findSpare?.() ?? (await ServerConnection.open(this.#source, this.#options.use));
      }
      this.#kept.begin();
      return this.#kept;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** `isReusable`: the transaction has ended, and the connection works. */
  giveBack(connection: ServerConnection, isReusable: boolean): void {
    if (!isReusable || this.#options.use === 'bulk') connection.vacate();
    connection.end();
    this.#leave();
  }

  /** Hands the connection over, when no transaction has it. */
  spare(): ServerConnection | undefined {
    if (this.#isTaken || this.#kept?.isIdle !== true) return undefined;
    const spare = this.#kept;
    this.#kept = undefined;
    return spare;
  }

  /** Closes the connection; nobody may borrow it any more. */
  async close(): Promise<void> {
    this.#kept?.vacate();
    await this.#kept?.closed;
  }

  async #enter(): Promise<void> {
    if (this.#line.length >= waitingMax) throw tooManyWait(this.#source.server);
    if (this.#isTaken) await this.#line.join(null, this.#options.waitMs, () => this.#tooLate());
    this.#isTaken = true;
  }

  #leave(): void {
    // The next one has the turn before anybody else can ask for it.
    this.#isTaken = this.#line.admitNext(
      () => true,
      () => undefined,
    );
  }

  #tooLate(): DatabaseUnavailableError {
    const seconds = this.#options.waitMs / 1000;
    return new DatabaseUnavailableError(
      `The transactions of ${this.#source.server} took longer than ${seconds} s: try again.`,
    );
  }
}
