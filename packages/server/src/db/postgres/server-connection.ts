import type { Socket } from 'node:net';
import pg from 'pg';
import { endsSession, fromPostgresError } from '../errors.ts';
import { clientConfig, type PostgresOptions, type PostgresResult } from './client.ts';
import type { ConnectionBudget, ConnectionSlot, ConnectionUse } from './connection-budget.ts';
import { PipelinedQuery, type PostgresStatement, type PreparedReaders } from './pipelined-query.ts';

/** How the connections of one database are opened. */
export interface ConnectionSource {
  readonly options: PostgresOptions;
  /** The names of the database and its server in error messages. */
  readonly server: string;
  readonly budget: ConnectionBudget;
}

/** A server that does not close the connection within 2 s is dead or stopped; then the socket is destroyed. */
const closeTimeoutMs = 2_000;

/** One connection. It has a slot of its server's budget until its socket is closed. */
export class ServerConnection {
  readonly client: pg.Client;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #slot: ConnectionSlot;
  readonly #readers: PreparedReaders = new Map();
  #running = 0;
  #wasUsed = false;
  #isRefusing = false;
  #isClosing = false;

  private constructor(client: pg.Client, slot: ConnectionSlot, onLost: (error: unknown) => void) {
    this.client = client;
    this.#slot = slot;
    client.on('error', (error) => {
      this.#isRefusing = true;
      onLost(error);
    });
    this.closed = new Promise((resolve) => {
      client.on('end', () => {
        this.#isRefusing = true;
        slot.free();
        resolve();
      });
    });
  }

  /**
   * Opens a connection once its server's budget has a slot. The caller must call `begin` right away: before the first
   * `begin` the connection is not idle, so that no other caller takes it.
   */
  static async open(
    { options, server, budget }: ConnectionSource,
    use: ConnectionUse,
    config: pg.ClientConfig = {},
  ): Promise<ServerConnection> {
    // `pipeline` makes no difference to a transaction, which awaits each response.
    const client = new pg.Client({ ...clientConfig(options), ...config, pipeline: true });
    const slot = await budget.take(use, () => connection.vacate());
    const connection = new ServerConnection(client, slot, (error) => {
      options.onError?.(fromPostgresError(error, server));
    });
    try {
      await client.connect();
      return connection;
    } catch (error) {
      connection.vacate();
      throw fromPostgresError(error, server);
    }
  }

  /** False once the connection accepts no new work, because it broke or was vacated. */
  get isUsable(): boolean {
    return !this.#isRefusing;
  }

  /** True if another caller may take the connection: it works, was used before, and runs nothing. */
  get isIdle(): boolean {
    return this.isUsable && this.#wasUsed && this.#running === 0;
  }

  /** Reports the start of a statement or a transaction. Every `begin` needs one `end`. */
  begin(): void {
    this.#wasUsed = true;
    this.#running += 1;
    if (this.#running === 1) this.#slot.work();
  }

  /** Reports the end of a statement or a transaction. */
  end(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    if (this.#isRefusing) this.#close();
    else this.#slot.rest();
  }

  /**
   * Sends a statement without waiting for the responses to earlier ones. If it has no response after `answerTimeoutMs`,
   * all statements that wait on this connection fail.
   */
  send(statement: PostgresStatement, answerTimeoutMs: number): Promise<PostgresResult> {
    this.begin();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#stream.destroy(new Error('Query read timeout')), answerTimeoutMs);
      const query = new PipelinedQuery(statement, this.#readers, (error, result) => {
        clearTimeout(timer);
        // The server reports the end of a session before the socket closes: nothing more may be sent on this connection.
        if (error !== null && endsSession(error)) this.vacate();
        this.end();
        if (error === null) resolve(result);
        else reject(error);
      });
      this.client.query(query);
    });
  }

  /** Refuses new work, and closes the connection as soon as it runs nothing. */
  vacate(): void {
    this.#isRefusing = true;
    if (this.#running === 0) this.#close();
  }

  /** The types of `pg` do not declare it. */
  get #stream(): Socket {
    return (this.client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
  }

  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const stream = this.#stream;
    const timer = setTimeout(() => stream.destroy(), closeTimeoutMs);
    this.client.end().then(
      () => clearTimeout(timer),
      () => stream.destroy(),
    );
  }
}
