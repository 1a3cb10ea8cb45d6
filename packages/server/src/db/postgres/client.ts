import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { DatabaseUnavailableError } from '../errors.ts';
import type { ConnectionBudget } from './connection-budget.ts';

/** The options of a connection to a PostgreSQL database. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`; the other fields replace its parts. For the parameter
   * `pooling=transaction` see `isPooled`.
   */
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** The budget that all databases of the server share. Default: up to three connections for this database alone. */
  readonly budget?: ConnectionBudget;
  readonly applicationName?: string;
  /** How long to wait for the response to a statement. Default: 20 s, longer than a statement may run on the server. */
  readonly answerTimeoutMs?: number;
  /** Called when a connection breaks while no statement waits. The next statement opens a new connection. */
  readonly onError?: (error: unknown) => void;
}

/** The parts of a result that are read. */
export type PostgresResult = Pick<pg.QueryResult<Record<string, unknown>>, 'rows' | 'rowCount' | 'command'>;

const int8Oid = 20;
const numericOid = 1700;
const connectTimeoutMs = 5_000;
const keepAliveDelayMs = 10_000;

/** The server's timeouts, in milliseconds. */
export const statementLimits = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
} as const;

/** Returns statements that set the timeouts until the transaction ends. */
export function localLimits(limits: Readonly<Record<keyof typeof statementLimits, number>> = statementLimits): string {
  return Object.entries(limits)
    .map(([name, limitMs]) => `set local ${name} = ${limitMs}`)
    .join('; ');
}

/** Longer than a statement may run on the server (15 s): only a dead server or network reaches it. */
export const usualAnswerTimeoutMs = 20_000;
/**
 * The maximum number of statements that wait for one database, so that a stalled server does not exhaust the memory.
 */
export const waitingMax = 2_000;

/** Returns the error for a statement that is refused because `waitingMax` statements wait already. */
export function tooManyWait(server: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `${waitingMax} statements wait for the PostgreSQL database ${server}: it is too slow for this load. Check the server, then try again.`,
  );
}

function parseSafeNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new RangeError(`A number in the database is outside the range of exact integers in JavaScript: ${text}.`);
}

/** 64-bit integers, and sums of them, which PostgreSQL returns as numeric, are numbers on both engines. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8Oid || oid === numericOid
      ? parseSafeNumber
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

const poolingParameter = 'pooling';

/**
 * Returns true if the URL has `pooling=transaction`: a pooler such as PgBouncer may run each transaction in a different
 * session. Then no prepared statement and no setting may outlive a transaction, and the startup parameters may not
 * contain settings.
 */
export function isPooled({ url }: PostgresOptions): boolean {
  return url !== undefined && new URL(url).searchParams.get(poolingParameter) === 'transaction';
}

function withoutPooling(url: string): string {
  const bare = new URL(url);
  bare.searchParams.delete(poolingParameter);
  return bare.href;
}

/** Returns the configuration of a connection: with timeouts, and with numbers instead of numeric text. */
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

/** Returns the names of the database and its server for messages, without the password. */
export function describeServer(options: PostgresOptions): string {
  const { host, port, database } = new pg.Client(clientConfig(options));
  return `${database ?? ''} on ${host}:${port}`;
}

/**
 * Many iterations slow down guessing. A password of 256 random bits cannot be guessed, so more than one iteration would
 * only cost each new connection a millisecond of CPU time.
 */
const iterationsOfRandom = 1;
const saltBytes = 16;

const hmac = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * Returns the SCRAM-SHA-256 verifier that PostgreSQL stores for an ASCII password (RFC 5803, RFC 7677). `CREATE ROLE`
 * accepts it in place of the password, which then does not appear in the server's log. Use it for random passwords
 * only.
 */
export function scramVerifier(
  password: string,
  salt: Uint8Array = randomBytes(saltBytes),
  iterations = iterationsOfRandom,
): string {
  // The keys of RFC 5802, section 3.
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest();
  const serverKey = hmac(salted, 'Server Key');
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return `SCRAM-SHA-256$${iterations}:${base64(salt)}$${base64(storedKey)}:${base64(serverKey)}`;
}
