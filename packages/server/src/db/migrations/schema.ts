import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';

// What the migrations share. They run for ever as they were written: a change here must not change what they make.

/** A CHECK that a text column holds one of the values, or null where the column allows it. */
export function oneOf(column: string, values: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(values.map((value) => sql.lit(value)))})`;
}

/** A CHECK that an integer column is a flag. */
export function flag(column: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} in (0, 1)`;
}

/**
 * Creates a unique index under the name by which `violatedIndex` reports it on both engines:
 * `<table>_<columns>_unique`. With `whereNull`, only rows in which that column is null count.
 */
export async function uniqueIndex<Tables>(
  db: Kysely<Tables>,
  table: string,
  columns: readonly string[],
  whereNull?: string,
): Promise<void> {
  const index = db.schema
    .createIndex(`${table}_${columns.join('_')}_unique`)
    .unique()
    .on(table)
    .columns([...columns]);
  await (whereNull === undefined ? index : index.where(whereNull, 'is', null)).execute();
}

/** Creates an index named `<table>_<columns>`. */
export async function index<Tables>(db: Kysely<Tables>, table: string, columns: readonly string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_${columns.join('_')}`)
    .on(table)
    .columns([...columns])
    .execute();
}

/** Creates `search_terms`: the same in the platform database and in each tenant's. */
export async function createSearchTerms<Tables>(db: Kysely<Tables>): Promise<void> {
  // Prefixes are ranges, which need text sorted by bytes; the platform's database may have another locale.
  await db.schema
    .createTable('search_terms')
    .addColumn('term', isPostgres(db) ? sql`text collate "C"` : 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('search_terms_pkey', ['term', 'created_at', 'owner_id'] as never)
    .execute();
  await index(db, 'search_terms', ['owner_id', 'term']);
}

/** Creates an index of a part of a table. */
export async function partialIndex<Tables>(
  db: Kysely<Tables>,
  name: string,
  table: string,
  columns: readonly string[],
  condition: RawBuilder<SqlBool>,
): Promise<void> {
  await db.schema
    .createIndex(name)
    .on(table)
    .columns([...columns])
    .where(condition)
    .execute();
}
