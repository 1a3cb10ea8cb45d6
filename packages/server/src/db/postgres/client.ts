import pg from 'pg';
import { DatabaseUnavailableError } from '../errors.ts';
import type { ConnectionBudget } from './connection-budget.ts';

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, or the fields that replace its parts. With `pooling=transaction`
   * among its parameters, see `isPooled`.
   */
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** The connections to the server that all its databases share; absent: this database alone has up to three. */
  readonly budget?: ConnectionBudget;
  readonly applicationName?: string;
  /** How long the answer to a statement is waited for; by default longer than one may take on the server. */
  readonly answerTimeoutMs?: number;
  /** Told of connections that break while nobody waits for an answer; they are replaced at the next statement. */
  readonly onError?: (error: unknown) => void;
}

export type PostgresResult = Pick<pg.QueryResult<Record<string, unknown>>, 'rows' | 'rowCount' | 'command'>;

const int8Oid = 20;
const numericOid = 1700;
const connectTimeoutMs = 5_000;
const keepAliveDelayMs = 10_000;

/** Limits of time on statements, in milliseconds. */
export const statementLimits = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
} as const;

/** The limits as statements that hold until the transaction ends. */
export function localLimits(limits: Readonly<Record<keyof typeof statementLimits, number>> = statementLimits): string {
  return Object.entries(limits)
    .map(([name, limitMs]) => `set local ${name} = ${limitMs}`)
    .join('; ');
}

/** Longer than a statement may take on the server: only a dead server or network reaches it. */
export const usualAnswerTimeoutMs = 20_000;
/** So many statements wait for one database at most: a server that stands still must not fill the memory. */
export const waitingMax = 2_000;

/** What whoever comes when `waitingMax` wait already is told at once. */
export function tooManyWait(server: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `${waitingMax} statements wait for the PostgreSQL database ${server}: it is too slow for what is asked of it.`,
  );
}

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

const poolingParameter = 'pooling';

/**
 * Whether a pooler like PgBouncer stands in front and gives each transaction another session: the URL says
 * `pooling=transaction`. Then nothing may outlive a transaction (no prepared statement, no setting), and what
 * a connection is opened with may name no setting either.
 */
export function isPooled({ url }: PostgresOptions): boolean {
  return url !== undefined && new URL(url).searchParams.get(poolingParameter) === 'transaction';
}

function withoutPooling(url: string): string {
  const bare = new URL(url);
  bare.searchParams.delete(poolingParameter);
  return bare.href;
}

/** The configuration of a connection: limits of time on every statement, and numbers instead of numeric text. */
export function clientConfig(
  options: PostgresOptions,
  limits: Partial<Record<keyof typeof statementLimits, number>> = statementLimits,
): pg.ClientConfig {
  const { url, host, port, user, password, database } = options;
  const connectionString = url === undefined ? undefined : withoutPooling(url);
  const fields = { connectionString, host, port, user, password, database };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...given,
    types,
    application_name: options.applicationName ?? 'licensing',
    connectionTimeoutMillis: connectTimeoutMs,
    ...(isPooled(options) ? {} : limits),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  };
}

/** The server and database in messages: never the password. */
export function describeServer(options: PostgresOptions): string {
  const { host, port, database } = new pg.Client(clientConfig(options));
  return `${database ?? ''} on ${host}:${port}`;
}
