import type { Readable } from 'node:stream';
import type { ArchivedColumn, ArchivedTable, Loader } from '../../db/archive/tables.ts';
import type { SqlValue } from '../../db/database.ts';
import { isUnavailable } from '../../db/errors.ts';
import type { Keyring } from '../../lib/keyring.ts';
import type { Placement } from '../placement.ts';
import type { TenantDatabases } from '../tenant-databases.ts';
import { platformPrefix } from './export.ts';
import { refusal, type TableLine } from './format.ts';
import type { ArchiveProgress } from './progress.ts';
import { type ArchiveVisitor, type ReadArchive, readArchive, readStreamedArchive } from './reader.ts';
import { BadRowError, rowParser } from './rows.ts';

interface ImportDependencies {
  readonly databases: TenantDatabases;
  readonly keyring: Keyring;
  readonly progress: ArchiveProgress;
  /** Receives a sentence about a problem that does not stop the operation. */
  readonly warn: (sentence: string) => void;
}

/** Removes a database that no tenant's row refers to. A failure is reported: what caused the removal matters more. */
export async function dropUnused(
  { databases, warn }: Pick<ImportDependencies, 'databases' | 'warn'>,
  placement: Placement,
): Promise<void> {
  try {
    await databases.drop(placement);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(
      `The unused database ${placement.database_name ?? placement.id} at ${placement.placement} could not be removed; ` +
        `"licensing doctor" lists it. ${reason}`,
    );
  }
}

/** The platform rows in a tenant's archive: by table (without its prefix), each row as an object keyed by column. */
export type PlatformRows = ReadonlyMap<string, readonly Readonly<Record<string, SqlValue>>[]>;

/** A tenant's database that was loaded and verified, and that no tenant's row refers to yet. */
export interface LoadedTenant {
  readonly placement: Placement;
  /** Held in memory because they are few: members, API keys, invitations. */
  readonly platformRows: PlatformRows;
}

/** Reads a whole tenant archive and verifies it without changing anything. Throws when it is invalid. */
export async function verifyTenantArchive(
  file: string,
  { keyring, progress }: Pick<ImportDependencies, 'keyring' | 'progress'>,
): Promise<ReadArchive & { readonly tenantId: string; readonly schema: string }> {
  progress.begin('Checking', null);
  const read = await readArchive(file, keyring, { onProgress: (rows, bytes) => progress.advance(rows, bytes) });
  const { archive, tenant_id, schema } = read.header;
  if (archive !== 'tenant' || tenant_id === null || schema === null) {
    throw refusal(file, 'is an archive of the platform, not of a tenant: use "licensing restore" with its folder.');
  }
  return { ...read, tenantId: tenant_id, schema };
}

/**
 * Creates a new database from a verified archive and migrates it to the current schema. The caller must either write
 * the placement into the tenant's row or drop the database. Removes the database when it throws.
 */
export async function loadTenantArchive(
  file: string,
  verified: Awaited<ReturnType<typeof verifyTenantArchive>>,
  dependencies: ImportDependencies,
): Promise<LoadedTenant> {
  const { databases } = dependencies;
  const { tenantId, schema } = verified;
  const placement = await databases.createBeside(tenantId, schema);
  try {
    const platformRows = await fill(placement, dependencies, async (visitor) => {
      dependencies.progress.begin('Importing', verified.rows);
      const read = await readArchive(file, dependencies.keyring, visitor);
      if (read.trailer.sha256 === verified.trailer.sha256) return read;
      throw refusal(file, 'was changed while it was being read: run the import again.');
    });
    const database = await databases.open(placement);
    await database.close();
    return { placement, platformRows };
  } catch (error) {
    await dropUnused(dependencies, placement);
    throw explained(file, error);
  }
}

/**
 * Fills a database that `createBeside` created from a streamed archive (`streamTenant`). Returns the number of rows.
 * Throws if the checksum of the stream is wrong, or if the database has another number of rows than the stream.
 */
export async function loadStreamedTenant(
  stream: Readable,
  placement: Placement,
  dependencies: Pick<ImportDependencies, 'databases' | 'keyring' | 'progress'>,
): Promise<number> {
  let rows = 0;
  await fill(placement, dependencies, async ({ onProgress: _onProgress, ...visitor }) => {
    const read = await readStreamedArchive(stream, dependencies.keyring, visitor);
    rows = read.rows;
    return read;
  });
  return rows;
}

async function fill(
  placement: Placement,
  { databases, progress }: Pick<ImportDependencies, 'databases' | 'progress'>,
  read: (visitor: ArchiveVisitor) => Promise<ReadArchive>,
): Promise<PlatformRows> {
  const loader = await databases.load(placement);
  try {
    const loading = new TenantLoading(loader);
    const { trailer } = await read({
      onTable: (line) => loading.beginTable(line),
      onRows: (lines) => loading.addRows(lines),
      onProgress: (rows, bytes) => progress.advance(rows, bytes),
    });
    loading.assertComplete();
    progress.begin('Completing', null);
    const counts = await loader.finish();
    for (const [table, count] of counts) {
      if (count !== trailer.rows[table]) throw new BadRowError(`the database has another number of rows of ${table}`);
    }
    return loading.platformRows;
  } finally {
    await loader.close();
  }
}

/** Accepts the rows of the current table. */
type Take = (rows: SqlValue[][]) => Promise<void>;

/** Routes the lines of an archive, table by table, to the loader or to `platformRows`. */
class TenantLoading {
  readonly platformRows = new Map<string, Record<string, SqlValue>[]>();
  readonly #loader: Loader;
  readonly #seen = new Set<string>();
  #parse: ((line: string) => SqlValue[]) | undefined;
  #take: Take = () => Promise.resolve();

  constructor(loader: Loader) {
    this.#loader = loader;
  }

  beginTable(line: TableLine): void {
    if (line.table.startsWith(platformPrefix)) this.#beginPlatformTable(line);
    else this.#beginTenantTable(line);
  }

  #beginPlatformTable({ table, columns }: TableLine): void {
    const rows: Record<string, SqlValue>[] = [];
    this.platformRows.set(table.slice(platformPrefix.length), rows);
    this.#parse = undefined;
    this.#take = (values) => {
      for (const row of values)
        rows.push(Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));
      return Promise.resolve();
    };
  }

  #beginTenantTable(line: TableLine): void {
    const table = tableOf(this.#loader.tables, line);
    const missing = table.references.find((target) => !this.#seen.has(target));
    if (missing !== undefined) throw new BadRowError(`${table.name} comes before ${missing}, which it references`);
    this.#seen.add(table.name);
    this.#parse = rowParser(table.columns);
    this.#take = (rows) => this.#loader.insert(table, rows);
  }

  async addRows(lines: readonly string[]): Promise<void> {
    await this.#take(lines.map(this.#parse ?? parsePlatformRow));
  }

  /** Throws unless every table of the schema was in the archive; a table without rows must be listed too. */
  assertComplete(): void {
    const missing = this.#loader.tables.find(({ name }) => !this.#seen.has(name));
    if (missing !== undefined) throw new BadRowError(`the table ${missing.name} is missing`);
  }
}

/**
 * Returns the table with its columns in the archive's order, which differs between engines. Throws a `BadRowError`
 * when the table is unknown or has other columns.
 */
export function tableOf(tables: readonly ArchivedTable[], line: TableLine): ArchivedTable {
  const table = tables.find(({ name }) => name === line.table);
  if (table === undefined) throw new BadRowError(`its schema has no table ${line.table}`);
  const columns = line.columns.map((name) => table.columns.find((column) => column.name === name));
  const known = columns.filter((column): column is ArchivedColumn => column !== undefined);
  if (new Set(known).size !== table.columns.length || known.length !== columns.length) {
    throw new BadRowError(`the columns of ${line.table} do not match its schema`);
  }
  return { ...table, columns: known };
}

/**
 * Parses a platform row. The column types are checked when it is inserted; here each value must be a database value.
 */
function parsePlatformRow(line: string): SqlValue[] {
  const values = JSON.parse(line) as unknown[];
  for (const value of values) {
    const isValue = value === null || typeof value === 'string' || Number.isSafeInteger(value);
    if (!isValue)
      throw new BadRowError('a row of the platform has a value that is neither text, a whole number nor null');
  }
  return values as SqlValue[];
}

/** Data exceptions and constraint violations: https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const constraintErrorCode = /^2[23]/;

/** Turns the error of a database that rejected a row into one about `file`; returns every other error unchanged. */
export function explained(file: string, error: unknown): unknown {
  if (isUnavailable(error)) return error;
  if (error instanceof BadRowError) return refusal(file, `cannot be imported: ${error.message}. Use another copy.`);
  const code = error instanceof Error ? String(Reflect.get(error, 'code') ?? '') : '';
  if (constraintErrorCode.test(code) || code === 'ERR_SQLITE_ERROR') {
    const { message } = error as Error;
    return refusal(file, `cannot be imported: its rows violate a constraint (${message}). Use another copy.`);
  }
  return error;
}
