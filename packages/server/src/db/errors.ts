/**
 * A database cannot be reached, is busy, or cannot read or write its storage. The statement may be sent again
 * later; whether a commit that failed this way took effect is unknown. The HTTP layer answers 503.
 */
export class DatabaseUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/**
 * A tenant's database takes no changes, because it is being moved. Nothing of the change took effect; a moment later
 * the same change succeeds. The HTTP layer answers 503 `TENANT.MOVING`.
 */
export class TenantMovingError extends DatabaseUnavailableError {
  constructor(cause?: unknown) {
    super('The database of this tenant is being moved and takes no changes: try again in a moment.', cause);
    this.name = 'TenantMovingError';
  }
}

/** True for errors of a database that cannot serve at present, on either engine. */
export function isUnavailable(error: unknown): error is DatabaseUnavailableError {
  return error instanceof DatabaseUnavailableError;
}

const sqliteUniqueConstraint = 2067;
const sqlitePrimaryKey = 1555;
const sqliteForeignKey = 787;

/** A field of an error object, whatever threw it. */
function fieldOf(error: unknown, field: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
}

/**
 * The unique index that refused a row, by its name on both engines: `licenses_key_unique`, or `licenses_pkey` for
 * the primary key. PostgreSQL tells the name; SQLite lists `table.column`s, of which `uniqueIndex` in
 * `migrations/schema.ts` makes the name. Undefined when the error is no unique violation.
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

/** True when a unique index refused a row; with `index`, only when it was that one. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  const violated = violatedIndex(error);
  return violated !== undefined && (index === undefined || index === violated);
}

/** True when a foreign key refused a change: the row referred to is absent, or is still referred to. */
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

function primarySqliteCode(error: unknown): number | undefined {
  const errcode = fieldOf(error, 'errcode');
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** True when another process or connection holds the lock that a SQLite statement needs. */
export function isSqliteBusy(error: unknown): boolean {
  return primarySqliteCode(error) === sqliteBusy;
}

/** True when what a SQLite file holds is no database, or is none at the place that was read. */
export function isSqliteDamage(error: unknown): boolean {
  const code = primarySqliteCode(error);
  return code === sqliteCorrupt || code === sqliteNotADatabase;
}

// Seals are the only triggers that there are (copy/seal.ts): https://sqlite.org/rescode.html#constraint_trigger
const sqliteSealed = 1811;
/** Of our own making, in a class that PostgreSQL leaves to its users. */
export const postgresSealed = 'LS001';

/** The error to throw for one of `node:sqlite`: a `DatabaseUnavailableError` where the file is the reason. */
export function fromSqliteError(error: unknown, path: string): unknown {
  if (fieldOf(error, 'errcode') === sqliteSealed) return new TenantMovingError(error);
  const reason = sqliteUnavailable.get(primarySqliteCode(error) ?? 0);
  return reason === undefined ? error : new DatabaseUnavailableError(`The database ${path} ${reason}.`, error);
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html, and the codes of Node's sockets.
const postgresUnavailable =
  /^(08...|53...|58...|57P0[1-5]|57014|55000|55P03|40001|40P01|25006|25P0[34]|28000|28P01|3D000|XX00[12]|EPIPE|E(CONN|HOST|NET|TIMED|NOTFOUND|AI_)\w*)$/;
// `pg` gives these no code.
const postgresMessages =
  /^(Connection terminated|timeout e|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after)/;

function isPostgresOutage(error: unknown): boolean {
  const code = fieldOf(error, 'code');
  if (typeof code === 'string') return postgresUnavailable.test(code);
  return postgresMessages.test(String(fieldOf(error, 'message')));
}

/** What PgBouncer says of the limits of time that our own connections are opened with. */
function isRefusedSetting(error: unknown): boolean {
  return fieldOf(error, 'code') === '08P01' && /startup parameter/.test(String(fieldOf(error, 'message')));
}

/** The error to throw for one of `pg`: a `DatabaseUnavailableError` where the server or the way to it is the reason. */
export function fromPostgresError(error: unknown, server: string): unknown {
  if (fieldOf(error, 'code') === postgresSealed) return new TenantMovingError(error);
  if (!isPostgresOutage(error)) return error;
  if (isRefusedSetting(error)) {
    return new DatabaseUnavailableError(
      `A pooler stands in front of the PostgreSQL database ${server}: add pooling=transaction to the parameters of its URL.`,
      error,
    );
  }
  return new DatabaseUnavailableError(
    `The PostgreSQL database ${server} did not serve the statement: try again.`,
    error,
  );
}

/** True for a `DatabaseUnavailableError` because others hold a lock of PostgreSQL, in a deadlock or for long. */
export function isLockedOut(error: unknown): boolean {
  const code = isUnavailable(error) ? fieldOf(error.cause, 'code') : undefined;
  return code === '55P03' || code === '40P01';
}

/** True when PostgreSQL closes the connection after this error, or it is closed already. */
export function endsSession(error: unknown): boolean {
  const severity = fieldOf(error, 'severity');
  // What the server did not send comes from the socket, or from the reading of an answer.
  return severity === undefined ? isPostgresOutage(error) : severity === 'FATAL' || severity === 'PANIC';
}

/** True when a statement names a table that does not exist. */
export function isMissingTable(error: unknown): boolean {
  if (fieldOf(error, 'code') === '42P01') return true;
  return fieldOf(error, 'errcode') === 1 && String(fieldOf(error, 'message')).startsWith('no such table');
}

/** True when PostgreSQL refuses a prepared statement because a migration changed what it answers. */
export function isStalePlan(error: unknown): boolean {
  return fieldOf(error, 'code') === '0A000' && String(fieldOf(error, 'message')).includes('cached plan');
}

/** True when PostgreSQL does not know a prepared statement: its preparation failed just before, or a pooler switched. */
export function isUnknownStatement(error: unknown): boolean {
  return fieldOf(error, 'code') === '26000';
}
