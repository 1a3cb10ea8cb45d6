import type pg from 'pg';
import {
  DatabaseUnavailableError,
  endsSession,
  fromPostgresError,
  isStalePlan,
  isUnknownStatement,
} from '../errors.ts';
import { type PostgresResult, tooManyWait, usualAnswerTimeoutMs, waitingMax } from './client.ts';
import { type ConnectionSource, ServerConnection } from './server-connection.ts';

export interface PostgresStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Prepared under this name, once per connection. */
  readonly name?: string;
}

/**
 * One connection, opened when it is needed and again after it broke or was given up, that takes statements without
 * waiting for answers. Each statement is a transaction of its own, so that none affects its neighbours.
 */
export class PipelinedConnection {
  readonly #source: ConnectionSource;
  readonly #findSpare: () => ServerConnection | undefined;
  #connection: ServerConnection | undefined;
  #opening: Promise<ServerConnection> | undefined;
  #isClosed = false;
  #waiting = 0;

  /** `findSpare`: hands over a connection to the same database that nobody uses at present. */
  constructor(source: ConnectionSource, findSpare: () => ServerConnection | undefined) {
    this.#source = source;
    this.#findSpare = findSpare;
  }

  async send(statement: PostgresStatement): Promise<PostgresResult> {
    if (this.#waiting >= waitingMax) throw tooManyWait(this.#source.server);
    this.#waiting += 1;
    try {
      return await this.#sendOnce(statement);
    } catch (error) {
      const isRefusedForm = statement.name !== undefined && (isStalePlan(error) || isUnknownStatement(error));
      if (!isRefusedForm) throw fromPostgresError(error, this.#source.server);
      return await this.#sendUnprepared(statement, error);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Hands its connection over, when nothing is under way on it. */
  spare(): ServerConnection | undefined {
    if (this.#connection?.isIdle !== true) return undefined;
    const spare = this.#connection;
    this.#connection = undefined;
    return spare;
  }

  /** Waits for the answers to what was sent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection ?? (await this.#opening?.catch(() => undefined));
    connection?.vacate();
    await connection?.closed;
  }

  async #sendOnce(statement: PostgresStatement): Promise<PostgresResult> {
    const connection =
      this.#connection?.isUsable === true ? this.#connection : (this.#takeSpare() ?? (await this.#open()));
    connection.begin();
    try {
      const limited: pg.QueryConfig & { query_timeout: number } = {
        name: statement.name,
        text: statement.text,
        values: statement.values as unknown[],
        query_timeout: this.#source.options.answerTimeoutMs ?? usualAnswerTimeoutMs,
      };
      return await connection.client.query(limited);
    } catch (error) {
      // The server tells that it ends the session before the socket closes: nothing more may be sent on it.
      if (endsSession(error)) connection.vacate();
      throw error;
    } finally {
      connection.end();
    }
  }

  /** Sends a statement once more whose prepared form the server refused before it ran: unnamed, which always works. */
  async #sendUnprepared({ text, values }: PostgresStatement, error: unknown): Promise<PostgresResult> {
    // After a migration every use of the prepared form would fail: the next statements get a fresh connection.
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
