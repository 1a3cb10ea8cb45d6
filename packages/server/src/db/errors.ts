import { isRefusedLogin, postgresReason } from './postgres-reasons.ts';

/**
 * A database cannot be reached, is busy, or cannot read or write its storage. The caller may repeat the statement
 * later. If a commit fails with this error, it is unknown whether it took effect. The HTTP layer responds with 503.
 */
export class DatabaseUnavailableError extends Error {
  /** What may be unavailable for every user of it: `host:port`, a database `name on host:port`, or `dataDisk`. */
  readonly store: string | undefined;

  constructor(message: string, cause?: unknown, store?: string) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DatabaseUnavailableError';
    this.store = store;
  }
}

/** The disk of the data directory as a `store`. */
export const dataDisk = 'DATA_DIR';

/** Returns the store that an error, or a cause of it, says is unavailable; undefined if it says nothing of a store. */
export function outageOf(error: unknown): string | undefined {
  if (error instanceof DatabaseUnavailableError && error.store !== undefined) return error.store;
  return error instanceof Error && error.cause !== undefined ? outageOf(error.cause) : undefined;
}

/**
 * A tenant's database refuses changes because it is being moved. The change had no effect and succeeds if it is
 * repeated a moment later. The HTTP layer responds with 503 `TENANT.MOVING`.
 */
export class TenantMovingError extends DatabaseUnavailableError {
  constructor(cause?: unknown) {
    super('The database of this tenant is being moved and refuses changes: try again in a moment.', cause);
    this.name = 'TenantMovingError';
  }
}

/** Returns true for an error of a database that is currently unavailable, on either engine. */
export function isUnavailable(error: unknown): error is DatabaseUnavailableError {
  return error instanceof DatabaseUnavailableError;
}

const sqliteUniqueConstraint = 2067;
const sqlitePrimaryKey = 1555;
const sqliteForeignKey = 787;

/** Returns a field of a thrown value; undefined if it is not an object or has no such field. */
function fieldOf(error: unknown, field: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
}

/**
 * Returns the name of the unique index that refused a row: `licenses_key_unique`, or `licenses_pkey` for the primary
 * key. PostgreSQL reports the name. SQLite reports `table.column` pairs, from which this builds the name as
 * `uniqueIndex` in `migrations/schema.ts` does. Undefined if the error is not a unique violation.
 */
export function violatedIndex(error: unknown): string | undefined {
  if (fieldOf(error, 'code') === '23505') return String(fieldOf(error, 'constraint'));
  const errcode = fieldOf(error, 'errcode');
  if (errcode !== sqliteUniqueConstraint && errcode !== sqlitePrimaryKey) return undefined;
  const qualified = String(fieldOf(error, 'message'))
    .replace(/^.*constraint failed: /, '')
    .split(', ');
  const table = qualified[0]?.split('.')[0];
  if (errcode === sqlitePrimaryKey) return `${table}_pkey`;
  return [table, ...qualified.map((column) => column.split('.')[1]), 'unique'].join('_');
}

/** Returns true if a unique index refused a row; with `index`, only if it was that index. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  const violated = violatedIndex(error);
  return violated !== undefined && (index === undefined || index === violated);
}

/** Returns true if a foreign key refused a change: the referenced row is missing, or a row is still referenced. */
export function isForeignKeyViolation(error: unknown): boolean {
  const code = fieldOf(error, 'code');
  return code === '23503' || code === '23001' || fieldOf(error, 'errcode') === sqliteForeignKey;
}

// https://sqlite.org/rescode.html: the primary result codes of a file that is busy or cannot be used.
const sqliteBusy = 5;
const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;
const sqliteUnavailable: ReadonlyMap<number, string> = new Map([
  [sqliteBusy, 'is locked by another process: try again, and keep the transactions of other processes short'],
  [6, 'is locked by another connection: try again'],
  [8, 'is read-only: check the permissions of the file and its folder'],
  [10, 'cannot be read or written: check the disk'],
  [sqliteCorrupt, 'is damaged: restore it from a backup'],
  [13, 'cannot grow: free space on its disk'],
  [14, 'cannot be opened: check that the file exists and its permissions'],
  [15, 'cannot be locked: try again'],
  [sqliteNotADatabase, 'is not a database: restore it from a backup'],
]);

/** Read-only, not readable or writable, full: usually the disk, and not one file. */
const sqliteDiskCodes: ReadonlySet<number> = new Set([8, 10, 13]);

function primarySqliteCode(error: unknown): number | undefined {
  const errcode = fieldOf(error, 'errcode');
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Returns true if another process or connection holds the lock that a SQLite statement needs. */
export function isSqliteBusy(error: unknown): boolean {
  return primarySqliteCode(error) === sqliteBusy;
}

/** Returns true if SQLite reports that a file is damaged or is not a database. */
export function isSqliteDamage(error: unknown): boolean {
  const code = primarySqliteCode(error);
  return code === sqliteCorrupt || code === sqliteNotADatabase;
}

// RAISE in a trigger. Seals are the only triggers (seal.ts): https://sqlite.org/rescode.html#constraint_trigger
const sqliteSealed = 1811;
/** The SQLSTATE that the triggers of seals raise, in a class that PostgreSQL does not use. */
export const postgresSealed = 'LS001';

/**
 * Converts an error of `node:sqlite` to a `DatabaseUnavailableError` if the file is the cause; else returns it
 * unchanged.
 */
export function fromSqliteError(error: unknown, path: string): unknown {
  if (fieldOf(error, 'errcode') === sqliteSealed) return new TenantMovingError(error);
  const code = primarySqliteCode(error) ?? 0;
  const reason = sqliteUnavailable.get(code);
  if (reason === undefined) return error;
  const store = sqliteDiskCodes.has(code) ? dataDisk : undefined;
  return new DatabaseUnavailableError(`The database ${path} ${reason}.`, error, store);
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html, and the codes of Node's sockets.
const postgresUnavailable =
  /^(08...|53...|58...|57P0[1-5]|57014|55000|55P03|40001|40P01|25006|25P0[34]|28000|28P01|3D000|XX00[12]|EPIPE|E(CONN|HOST|NET|TIMED|NOTFOUND|AI_)\w*)$/;
// `pg` throws these without a code.
const postgresMessages =
  /^(Connection terminated|timeout e|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after)/;

function isPostgresOutage(error: unknown): boolean {
  const code = fieldOf(error, 'code');
  if (isRefusedLogin(error)) return true;
  if (typeof code === 'string') return postgresUnavailable.test(code);
  return postgresMessages.test(String(fieldOf(error, 'message')));
}

/** Returns true if PgBouncer refused the timeouts that are set when a connection is opened. */
function isRefusedSetting(error: unknown): boolean {
  return fieldOf(error, 'code') === '08P01' && /startup parameter/.test(String(fieldOf(error, 'message')));
}

/**
 * Converts an error of `pg` to a `DatabaseUnavailableError` if the server or the connection to it is the cause; else
 * returns it unchanged.
 */
export function fromPostgresError(error: unknown, server: string): unknown {
  if (fieldOf(error, 'code') === postgresSealed) return new TenantMovingError(error);
  if (!isPostgresOutage(error)) return error;
  if (isRefusedSetting(error)) {
    return new DatabaseUnavailableError(
      `The PostgreSQL database ${server} is behind a connection pooler: add pooling=transaction to the parameters of its URL.`,
      error,
    );
  }
  const message = `The PostgreSQL database ${server} ${postgresReason(error)}.`;
  return new DatabaseUnavailableError(message, error, postgresStore(error, server));
}

/** Returns the part of `name on host:port` that an error says is unavailable; undefined for one of a single statement. */
function postgresStore(error: unknown, server: string): string | undefined {
  const code = String(fieldOf(error, 'code'));
  if (/^(3D000|42501|55000)$/.test(code)) return server;
  const isOfServer = endsSession(error) || /^(53...|58...|25006)$/.test(code);
  return isOfServer ? server.split(' on ').at(-1) : undefined;
}

/** Returns true for a `DatabaseUnavailableError` that a lock timeout or a deadlock of PostgreSQL caused. */
export function isLockedOut(error: unknown): boolean {
  const code = isUnavailable(error) ? fieldOf(error.cause, 'code') : undefined;
  return code === '55P03' || code === '40P01';
}

/** Returns true if PostgreSQL closes the connection after this error, or has closed it already. */
export function endsSession(error: unknown): boolean {
  const severity = fieldOf(error, 'severity');
  // An error without a severity was not sent by the server: the socket failed, or a response could not be parsed.
  return severity === undefined ? isPostgresOutage(error) : severity === 'FATAL' || severity === 'PANIC';
}

/** Returns true if a statement names a table that does not exist. */
export function isMissingTable(error: unknown): boolean {
  if (fieldOf(error, 'code') === '42P01') return true;
  return fieldOf(error, 'errcode') === 1 && String(fieldOf(error, 'message')).startsWith('no such table');
}

/** Returns true if a statement names a column that does not exist. */
export function isMissingColumn(error: unknown): boolean {
  if (fieldOf(error, 'code') === '42703') return true;
  return fieldOf(error, 'errcode') === 1 && String(fieldOf(error, 'message')).startsWith('no such column');
}

/** Returns true if PostgreSQL refuses a prepared statement because a migration changed the columns of its result. */
export function isStalePlan(error: unknown): boolean {
  return fieldOf(error, 'code') === '0A000' && String(fieldOf(error, 'message')).includes('cached plan');
}

/**
 * Returns true if PostgreSQL does not know a prepared statement: preparing it failed, or a pooler switched the
 * connection.
 */
export function isUnknownStatement(error: unknown): boolean {
  return fieldOf(error, 'code') === '26000';
}
