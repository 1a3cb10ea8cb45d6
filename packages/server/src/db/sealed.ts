import { type Kysely, sql } from 'kysely';
import type { Keyring } from '../lib/keyring.ts';
import type { Database, SqlValue } from './database.ts';
import { isMissingColumn, isMissingTable } from './errors.ts';

// The contract of sealed values: each module that stores values of `Keyring.seal` exports a `SealedColumn` for each
// column. `src/sealed-columns.ts` lists them, so that a change of the application key reaches all of them.

/** A column of which each value that is neither null nor empty was sealed under an application key. */
export interface SealedColumn<Tables> {
  readonly table: keyof Tables & string;
  readonly column: string;
  /** The columns of the table's primary key. */
  readonly key: readonly [string, ...string[]];
  /** The sealed values, in the plural: `signing keys`. Reports name them. */
  readonly what: string;
  /** The member of a JSON object in the column that is sealed; absent if the whole value is sealed. */
  readonly member?: string;
  /** Another column of the row, which names the application key of the value. */
  readonly fingerprintColumn?: string;
  /** True for few values without which nobody can work: the first start with another key seals them again as well. */
  readonly atRotation?: true;
}

/** The numbers of sealed values by the fingerprint of their key. `unknownKey`: no configured key opens them. */
export type KeyCounts = Map<string, number>;

/** Stands for the fingerprint of a key that is not configured and that no column names. */
export const unknownKey = 'unknown';

/** Separates the fingerprint of the application key from a sealed value, where a value begins with it. */
const separator = '.';

/** Rows per transaction: an export has large rows, and requests wait while a file is written. */
const batchSize = 50;

interface SealedRow {
  readonly key: readonly SqlValue[];
  /** The value of the column. */
  readonly stored: string;
  /** The part of it that `Keyring.seal` returned. */
  readonly sealed: string;
  /** Names the key, if a column or a prefix of the value does. */
  readonly named: string | undefined;
}

/** Counts the values of a column by their key. A table or a column that an older schema lacks has no values. */
export async function countByKey<Tables>(
  { query }: Pick<Database<Tables>, 'query'>,
  column: SealedColumn<Tables>,
  keyring: Keyring,
): Promise<KeyCounts> {
  const counts: KeyCounts = new Map();
  try {
    for await (const rows of batches(query, column)) {
      for (const row of rows) add(counts, keyOf(keyring, row), 1);
    }
  } catch (error) {
    if (!isMissingTable(error) && !isMissingColumn(error)) throw error;
  }
  return counts;
}

/**
 * Seals every value of a column under the current application key again. A value that another process replaces
 * meanwhile is left as it is. Returns the numbers of values that were sealed again, and of those that no configured key
 * opens.
 */
export async function resealColumn<Tables>(
  database: Pick<Database<Tables>, 'query' | 'transaction'>,
  column: SealedColumn<Tables>,
  keyring: Keyring,
): Promise<{ readonly resealed: number; readonly unreadable: number }> {
  let resealed = 0;
  let unreadable = 0;
  for await (const rows of batches(database.query, column)) {
    const readable: SealedRow[] = [];
    for (const row of rows) {
      const fingerprint = keyring.keyOf(row.sealed);
      if (fingerprint === undefined) unreadable += 1;
      else if (fingerprint !== keyring.fingerprint) readable.push(row);
    }
    if (readable.length === 0) continue;
    await database.transaction(async (tx) => {
      for (const row of readable) await replace(tx, column, row, keyring);
    });
    resealed += readable.length;
  }
  return { resealed, unreadable };
}

/** Counts the values of a column without opening them. */
export async function countSealed<Tables>(query: Kysely<Tables>, column: SealedColumn<Tables>): Promise<number> {
  const rows = generic(query)
    .selectFrom(column.table as 'rows')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(column.column, 'is not', null)
    .where(column.column, '!=', '');
  return Number((await rows.executeTakeFirstOrThrow()).count);
}

/** Adds `count` to the number of a key. */
export function add(counts: KeyCounts, fingerprint: string, count: number): void {
  counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + count);
}

type AnyTables = { rows: Record<string, SqlValue> };

function generic<Tables>(query: Kysely<Tables>): Kysely<AnyTables> {
  return query as unknown as Kysely<AnyTables>;
}

/** Reads the rows in the order of the primary key, so that rows that are replaced meanwhile are read once. */
async function* batches<Tables>(query: Kysely<Tables>, column: SealedColumn<Tables>): AsyncGenerator<SealedRow[]> {
  const { key, fingerprintColumn } = column;
  const keyColumns = sql`${sql.join(key.map((name) => sql.ref(name)))}`;
  for (let last: readonly SqlValue[] | undefined; ; ) {
    let rows = generic(query)
      .selectFrom(column.table as 'rows')
      .select([...key, column.column, ...(fingerprintColumn === undefined ? [] : [fingerprintColumn])])
      .where(column.column, 'is not', null)
      .where(column.column, '!=', '')
      .orderBy(keyColumns)
      .limit(batchSize);
    if (last !== undefined) rows = rows.where(sql<boolean>`(${keyColumns}) > (${sql.join(last)})`);
    const found = (await rows.execute()).map((row) => toSealedRow(column, row));
    // A member of a JSON object can be null.
    yield found.filter(({ sealed }) => sealed !== '');
    if (found.length < batchSize) return;
    last = found.at(-1)?.key;
  }
}

function toSealedRow<Tables>(column: SealedColumn<Tables>, row: Record<string, SqlValue>): SealedRow {
  const stored = String(row[column.column]);
  const prefix = column.member === undefined && stored.includes(separator) ? stored.split(separator)[0] : undefined;
  const named = column.fingerprintColumn === undefined ? prefix : row[column.fingerprintColumn];
  return {
    key: column.key.map((name) => row[name] ?? null),
    stored,
    sealed: sealedPart(column, stored),
    named: typeof named === 'string' ? named : undefined,
  };
}

function keyOf(keyring: Keyring, { sealed, named }: SealedRow): string {
  const fitting = keyring.keyOf(sealed);
  if (fitting !== undefined) return fitting;
  const isConfigured = [keyring.fingerprint, ...keyring.previousFingerprints].includes(named ?? '');
  return named === undefined || isConfigured ? unknownKey : named;
}

function sealedPart<Tables>({ member }: SealedColumn<Tables>, stored: string): string {
  if (member === undefined) return stored.slice(stored.indexOf(separator) + 1);
  const sealed = (JSON.parse(stored) as Record<string, unknown>)[member];
  return typeof sealed === 'string' ? sealed : '';
}

async function replace<Tables>(
  tx: Kysely<Tables>,
  column: SealedColumn<Tables>,
  row: SealedRow,
  keyring: Keyring,
): Promise<void> {
  const { fingerprintColumn } = column;
  let update = generic(tx)
    .updateTable(column.table as 'rows')
    .set({
      [column.column]: sealedAgain(column, row, keyring),
      ...(fingerprintColumn !== undefined && { [fingerprintColumn]: keyring.fingerprint }),
    })
    .where(column.column, '=', row.stored);
  for (const [index, name] of column.key.entries()) update = update.where(name, '=', row.key[index] ?? null);
  await update.execute();
}

function sealedAgain<Tables>({ member }: SealedColumn<Tables>, row: SealedRow, keyring: Keyring): string {
  const sealed = keyring.seal(keyring.open(row.sealed));
  if (member !== undefined) return JSON.stringify({ ...JSON.parse(row.stored), [member]: sealed });
  return row.stored.includes(separator) ? keyring.fingerprint + separator + sealed : sealed;
}
