import { DatabaseUnavailableError, fromPostgresError, isStalePlan, isUnknownStatement } from '../errors.ts';
import { type PostgresResult, tooManyWait, usualAnswerTimeoutMs, waitingMax } from './client.ts';
import type { PostgresStatement } from './pipelined-query.ts';
import { type ConnectionSource, ServerConnection } from './server-connection.ts';

/**
 * One connection that sends statements without waiting for the previous responses. It is opened when it is needed, also
 * after it broke or was vacated. Each statement is a transaction of its own, so that none affects the others.
 */
export class PipelinedConnection {
  readonly #source: ConnectionSource;
  readonly #findSpare: () => ServerConnection | undefined;
  #connection: ServerConnection | undefined;
  #opening: Promise<ServerConnection> | undefined;
  #isClosed = false;
  #waiting = 0;

  /** `findSpare` returns an idle connection to the same database, which its owner then no longer uses. */
  constructor(source: ConnectionSource, findSpare: () => ServerConnection | undefined) {
    this.#source = source;
    this.#findSpare = findSpare;
  }

  /**
   * Sends a statement and resolves with its result. Throws a `DatabaseUnavailableError` if the server is unavailable or
   * 2,000 statements wait already. Repeats a prepared statement without its name if the server refused the prepared
   * form.
   */
  async send(statement: PostgresStatement): Promise<PostgresResult> {
    if (this.#waiting >= waitingMax) throw tooManyWait(this.#source.server);
    this.#waiting += 1;
    try {
      return await this.#sendOnce(statement);
    } catch (error) {
      const isPreparedFormRefused = statement.name !== undefined && (isStalePlan(error) || isUnknownStatement(error));
      if (!isPreparedFormRefused) throw fromPostgresError(error, this.#source.server);
      return await this.#sendUnprepared(statement, error);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** True if a statement needs no new connection. */
  get isOpen(): boolean {
    return this.#connection?.isUsable === true;
  }

  /** Returns the connection and stops using it; undefined unless it is idle. */
  spare(): ServerConnection | undefined {
    if (this.#connection?.isIdle !== true) return undefined;
    const spare = this.#connection;
    this.#connection = undefined;
    return spare;
  }

  /** Closes the connection after the responses to all sent statements have arrived. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection ?? (await this.#opening?.catch(() => undefined));
    connection?.vacate();
    await connection?.closed;
  }

  #sendOnce(statement: PostgresStatement): Promise<PostgresResult> {
    const open = this.isOpen ? this.#connection : this.#takeSpare();
    const answerTimeoutMs = this.#source.options.answerTimeoutMs ?? usualAnswerTimeoutMs;
    if (open !== undefined) return open.send(statement, answerTimeoutMs);
    return this.#open().then((connection) => connection.send(statement, answerTimeoutMs));
  }

  /** Repeats a statement without its name after the server refused its prepared form, that is, before it ran. */
  async #sendUnprepared({ text, values }: PostgresStatement, error: unknown): Promise<PostgresResult> {
    // After a migration every use of the prepared form would fail, so the next statements get a new connection.
    if (isStalePlan(error)) this.#connection?.vacate();
    try {
      return await this.#sendOnce({ text, values });
    } catch (again) {
      throw fromPostgresError(again, this.#source.server);
    }
  }

  #takeSpare(): ServerConnection | undefined {
    if (this.#opening !== undefined) return undefined;
    this.#connection = this.#findSpare();
    return this.#connection;
  }

  #open(): Promise<ServerConnection> {
    if (this.#isClosed) {
      throw new DatabaseUnavailableError(
        `The database ${this.#source.server} has been closed: open it again to use it.`,
      );
    }
    this.#opening ??= this.#openOne();
    return this.#opening;
  }

  async #openOne(): Promise<ServerConnection> {
    try {
      this.#connection = await ServerConnection.open(this.#source, 'requests');
      return this.#connection;
    } finally {
      this.#opening = undefined;
    }
  }
}
