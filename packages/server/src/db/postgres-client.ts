import pg from 'pg';
import { endsSession, fromPostgresError, isStalePlan, isUnknownStatement } from './errors.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, or the fields that replace its parts. */
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** How many transactions may run at the same time; each has a connection of its own. */
  readonly maxTransactions?: number;
  /** Prepare the hot reads once per connection (default); false behind a pooler that shares sessions. */
  readonly preparedStatements?: boolean;
  readonly applicationName?: string;
  /** Told of connections that break while nobody waits for an answer; they are replaced at the next statement. */
  readonly onError?: (error: unknown) => void;
}

export interface PostgresStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Prepared under this name, once per connection. */
  readonly name?: string;
}

export type PostgresResult = Pick<pg.QueryResult<Record<string, unknown>>, 'rows' | 'rowCount' | 'command'>;

const int8Oid = 20;
const numericOid = 1700;
const connectTimeoutMs = 5_000;
const keepAliveDelayMs = 10_000;

function parseSafeNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new RangeError(`A number in the database is beyond what JavaScript holds exactly: ${text}.`);
}

// 64-bit integers, and the sums of them that PostgreSQL answers as numeric, are numbers on both engines.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8Oid || oid === numericOid
      ? parseSafeNumber
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** The configuration of a connection: limits of time on every statement, and numbers instead of numeric text. */
export function clientConfig(options: PostgresOptions): pg.ClientConfig {
  const { url, host, port, user, password, database } = options;
  const fields = { connectionString: url, host, port, user, password, database };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...given,
    types,
    application_name: options.applicationName ?? 'licensing',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: 15_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  };
}

/** The server and database in messages: never the password. */
export function describeServer(options: PostgresOptions): string {
  const { host, port, database } = new pg.Client(clientConfig(options));
  return `${database ?? ''} on ${host}:${port}`;
}

/** One connection, opened when it is needed and again after it broke, that takes statements without waiting for answers. */
export interface PipelinedConnection {
  send(statement: PostgresStatement): Promise<PostgresResult>;
  /** Waits for the answers to what was sent. */
  close(): Promise<void>;
}

// Longer than any statement may take on the server: only a dead server or network reaches it.
const answerTimeoutMs = 20_000;

/** Makes a pipelined connection. Each statement is a transaction of its own, so that none affects its neighbours. */
export function createPipelinedConnection(options: PostgresOptions, server: string): PipelinedConnection {
  let connected: pg.Client | undefined;
  let connecting: Promise<pg.Client> | undefined;

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...clientConfig(options), pipeline: true, query_timeout: answerTimeoutMs });
    const forget = () => {
      if (connected === client) connected = undefined;
    };
    client.on('error', (error) => {
      forget();
      options.onError?.(fromPostgresError(error, server));
    });
    client.on('end', forget);
    try {
      await client.connect();
      connected = client;
      return client;
    } finally {
      connecting = undefined;
    }
  }

  function connectOnce(): Promise<pg.Client> {
    connecting ??= connect();
    return connecting;
  }

  async function sendOnce(statement: PostgresStatement): Promise<PostgresResult> {
    const client = connected ?? (await connectOnce());
    try {
      return await client.query(statement as pg.QueryConfig<unknown[]>);
    } catch (error) {
      // The server tells that it ends the session before the socket closes: nothing more may be sent on it.
      if (endsSession(error) && connected === client) connected = undefined;
      throw error;
    }
  }

  /** Sends a statement once more whose prepared form the server refused before it ran: unnamed, which always works. */
  async function sendUnprepared({ text, values }: PostgresStatement, error: unknown): Promise<PostgresResult> {
    // After a migration every use of the prepared form would fail: the next statements get a fresh connection.
    if (isStalePlan(error) && connected !== undefined) {
      const stale = connected;
      connected = undefined;
      stale.end().catch(() => undefined);
    }
    return await sendOnce({ text, values });
  }

  return {
    async send(statement) {
      try {
        return await sendOnce(statement).catch((error: unknown) => {
          if (statement.name === undefined || !(isStalePlan(error) || isUnknownStatement(error))) throw error;
          return sendUnprepared(statement, error);
        });
      } catch (error) {
        throw fromPostgresError(error, server);
      }
    },
    async close() {
      const client = connected ?? (await connecting?.catch(() => undefined));
      connected = undefined;
      await client?.end();
    },
  };
}
