import type { Loader } from '../../db/copy/copy.ts';
import type { CopiedColumn, CopiedTable } from '../../db/copy/tables.ts';
import type { SqlValue } from '../../db/database.ts';
import { isUnavailable } from '../../db/errors.ts';
import type { Keyring } from '../../lib/keyring.ts';
import type { Placement } from '../placement.ts';
import type { TenantDatabases } from '../tenant-databases.ts';
import { platformPrefix } from './export.ts';
import { refusal, type TableLine } from './format.ts';
import type { ArchiveProgress } from './progress.ts';
import { type ReadArchive, readArchive } from './reader.ts';
import { BadRowError, rowParser } from './rows.ts';

interface ImportDependencies {
  readonly databases: TenantDatabases;
  readonly keyring: Keyring;
  readonly progress: ArchiveProgress;
}

/** The rows of a platform table in a tenant's archive, by the names of its columns. */
export type PlatformRows = ReadonlyMap<string, readonly Readonly<Record<string, SqlValue>>[]>;

/** A tenant's database, filled and checked, that no tenant's row names yet. */
export interface LoadedTenant {
  readonly placement: Placement;
  /** By the table, without its prefix. They are few: members, keys, invitations. */
  readonly platformRows: PlatformRows;
}

/** Checks a tenant's archive from its first byte to its last without any effect. */
export async function verifyTenantArchive(
  file: string,
  { keyring, progress }: Pick<ImportDependencies, 'keyring' | 'progress'>,
): Promise<ReadArchive & { readonly tenantId: string; readonly schema: string }> {
  progress.begin('Checking', null);
  const read = await readArchive(file, keyring, { onProgress: (rows, bytes) => progress.advance(rows, bytes) });
  const { archive, tenant_id, schema } = read.header;
  if (archive !== 'tenant' || tenant_id === null || schema === null) {
    throw refusal(file, 'holds no tenant but the platform: "licensing restore" reads the folder that it is in.');
  }
  return { ...read, tenantId: tenant_id, schema };
}

/**
 * Makes a new database from an archive that was verified, and brings it to the current schema. The caller points the
 * tenant's row at it, or drops it. Leaves nothing behind when it throws.
 */
export async function loadTenantArchive(
  file: string,
  verified: Awaited<ReturnType<typeof verifyTenantArchive>>,
  ground: ImportDependencies,
): Promise<LoadedTenant> {
  const { databases } = ground;
  const { tenantId, schema } = verified;
  const placement = await databases.createBeside(tenantId, schema);
  try {
    const platformRows = await fill(file, placement, verified, ground);
    const database = await databases.open(placement);
    await database.close();
    return { placement, platformRows };
  } catch (error) {
    await databases.drop(placement).catch(() => undefined);
    throw explained(file, error);
  }
}

async function fill(
  file: string,
  placement: Placement,
  verified: ReadArchive,
  { databases, keyring, progress }: ImportDependencies,
): Promise<PlatformRows> {
  const loader = await databases.load(placement);
  try {
    progress.begin('Importing', verified.rows);
    const loading = new TenantLoading(loader);
    const read = await readArchive(file, keyring, {
      onTable: (line) => loading.beginTable(line),
      onRows: (lines) => loading.addRows(lines),
      onProgress: (rows, bytes) => progress.advance(rows, bytes),
    });
    if (read.trailer.sha256 !== verified.trailer.sha256)
      throw refusal(file, 'was changed while it was read: try again.');
    loading.assertComplete();
    progress.begin('Completing', null);
    const counts = await loader.finish();
    for (const [table, count] of counts) {
      if (count !== verified.trailer.rows[table]) throw new BadRowError(`rows of ${table} were lost`);
    }
    return loading.platformRows;
  } finally {
    await loader.close();
  }
}

type Take = (rows: SqlValue[][]) => Promise<void>;

/** The part of a load that takes one table after another. */
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
    if (missing !== undefined) throw new BadRowError(`${table.name} stands before ${missing}, to which it refers`);
    this.#seen.add(table.name);
    this.#parse = rowParser(table.columns);
    this.#take = (rows) => this.#loader.insert(table, rows);
  }

  async addRows(lines: readonly string[]): Promise<void> {
    await this.#take(lines.map(this.#parse ?? parsePlatformRow));
  }

  /** Every table of the schema is in the archive, empty ones too. */
  assertComplete(): void {
    const missing = this.#loader.tables.find(({ name }) => !this.#seen.has(name));
    if (missing !== undefined) throw new BadRowError(`the table ${missing.name} is missing`);
  }
}

/** The table of this schema with the columns in the archive's order, which differs between engines. */
export function tableOf(tables: readonly CopiedTable[], line: TableLine): CopiedTable {
  const table = tables.find(({ name }) => name === line.table);
  if (table === undefined) throw new BadRowError(`its schema has no table ${line.table}`);
  const columns = line.columns.map((name) => table.columns.find((column) => column.name === name));
  const known = columns.filter((column): column is CopiedColumn => column !== undefined);
  if (new Set(known).size !== table.columns.length || known.length !== columns.length) {
    throw new BadRowError(`the columns of ${line.table} are not those of its schema`);
  }
  return { ...table, columns: known };
}

/** The columns' types are the current platform's to know: whatever stands there must be a value of a database. */
function parsePlatformRow(line: string): SqlValue[] {
  const values = JSON.parse(line) as unknown[];
  for (const value of values) {
    const isValue = value === null || typeof value === 'string' || Number.isSafeInteger(value);
    if (!isValue) throw new BadRowError('a row of the platform has a value of no known type');
  }
  return values as SqlValue[];
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: data exceptions and violated constraints. */
const contradiction = /^2[23]/;

/** One sentence for rows that a database refuses. */
export function explained(file: string, error: unknown): unknown {
  if (isUnavailable(error)) return error;
  if (error instanceof BadRowError) return refusal(file, `cannot be imported: ${error.message}. Use another copy.`);
  const code = error instanceof Error ? String(Reflect.get(error, 'code') ?? '') : '';
  if (contradiction.test(code) || code === 'ERR_SQLITE_ERROR') {
    const { message } = error as Error;
    return refusal(file, `cannot be imported: its rows contradict each other (${message}). Use another copy.`);
  }
  return error;
}
