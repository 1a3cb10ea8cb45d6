import pg from 'pg';
import { fromPostgresError } from '../errors.ts';
import { clientConfig, type PostgresOptions } from './client.ts';
import type { ConnectionBudget, ConnectionSlot, ConnectionUse } from './connection-budget.ts';

/** What it takes to open the connections of one database. */
export interface ConnectionSource {
  readonly options: PostgresOptions;
  /** The database and its server in messages. */
  readonly server: string;
  readonly budget: ConnectionBudget;
}

// A server that does not take leave in time is dead or stopped.
const goodbyeMs = 2_000;

/** One connection, which has a slot of its server's budget until its socket is closed. */
export class ServerConnection {
  readonly client: pg.Client;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #slot: ConnectionSlot;
  #underWay = 0;
  #wasUsed = false;
  #isOver = false;
  #isClosing = false;

  private constructor(client: pg.Client, slot: ConnectionSlot, onLost: (error: unknown) => void) {
    this.client = client;
    this.#slot = slot;
    client.on('error', (error) => {
      this.#isOver = true;
      onLost(error);
    });
    this.closed = new Promise((resolve) => {
      client.on('end', () => {
        this.#isOver = true;
        slot.free();
        resolve();
      });
    });
  }

  /**
   * Opens a connection once its server's budget has a slot. Its first `begin` follows at once: until then it is not idle,
   * so that nobody else takes it from who asked for it.
   */
  static async open(
    { options, server, budget }: ConnectionSource,
    use: ConnectionUse,
    config: pg.ClientConfig = {},
  ): Promise<ServerConnection> {
    // Who awaits each answer, as a transaction does, notices nothing of `pipeline`.
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

  /** False once the connection takes no new work: it broke, or gave its slot up. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** True when it may be used for something else: it works, it was used, and nothing is under way on it. */
  get isIdle(): boolean {
    return this.isUsable && this.#wasUsed && this.#underWay === 0;
  }

  /** Something begins; every `begin` is paired with one `end`. */
  begin(): void {
    this.#wasUsed = true;
    this.#underWay += 1;
    if (this.#underWay === 1) this.#slot.work();
  }

  end(): void {
    this.#underWay -= 1;
    if (this.#underWay > 0) return;
    if (this.#isOver) this.#close();
    else this.#slot.rest();
  }

  /** Takes no new work, and closes when nothing is under way any more. */
  vacate(): void {
    this.#isOver = true;
    if (this.#underWay === 0) this.#close();
  }

  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const { stream } = this.client.connection as unknown as { readonly stream: { destroy(): void } };
    const goodbye = setTimeout(() => stream.destroy(), goodbyeMs);
    this.client.end().then(
      () => clearTimeout(goodbye),
      () => stream.destroy(),
    );
  }
}
