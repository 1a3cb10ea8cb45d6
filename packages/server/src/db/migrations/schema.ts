import { type CreateTableBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';

// Helpers of the migrations. A released migration must always create the same schema, so a change here must not change
// the statements that existing migrations produce.

/** Returns a CHECK that a text column contains one of the values, or null if the column allows it. */
export function oneOf(column: string, values: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(values.map((value) => sql.lit(value)))})`;
}

/** Returns a CHECK that an integer column contains 0 or 1. */
export function flag(column: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} in (0, 1)`;
}

/**
 * Creates a unique index named `<table>_<columns>_unique`, the name that `violatedIndex` returns on both engines. With
 * `whereNull`, only rows in which that column is null must be unique.
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

/** Returns the step of a table's builder that adds a primary key of several columns, for `$call`. */
export function primaryKey(table: string, columns: readonly string[]) {
  return <Name extends string, Column extends string>(builder: CreateTableBuilder<Name, Column>) =>
    // A migration describes the columns of its own version, which the types of the tables may not have any more.
    builder.addPrimaryKeyConstraint(`${table}_pkey`, [...columns] as never);
}

/** Creates `search_terms`, which is the same in the platform database and in each tenant's. */
export async function createSearchTerms<Tables>(db: Kysely<Tables>): Promise<void> {
  // A search for a prefix is a range over text sorted by bytes. The platform's database may have another locale.
  await db.schema
    .createTable('search_terms')
    .addColumn('term', isPostgres(db) ? sql`text collate "C"` : 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .$call(primaryKey('search_terms', ['term', 'created_at', 'owner_id']))
    .execute();
  await index(db, 'search_terms', ['owner_id', 'term']);
}

/** Creates an index of the rows that satisfy a condition. */
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

/** Creates `audit_logs`: the table is the same in the platform database and in each tenant's. */
export async function createAuditLogs<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_logs')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('occurred_at', 'text', (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('actor_type', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('resource_type', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text')
    .addColumn('request_id', 'text')
    .addColumn('ip', 'text')
    .addColumn('changes_json', 'text', (column) => column.notNull())
    .addCheckConstraint('audit_logs_actor_type_known', oneOf('actor_type', ['user', 'admin', 'api_key', 'system']))
    .execute();
  await index(db, 'audit_logs', ['occurred_at', 'id']);
  await index(db, 'audit_logs', ['resource_id', 'occurred_at', 'id']);
  // One index for each filter.
  for (const column of ['event', 'actor_type', 'resource_type']) {
    await index(db, 'audit_logs', [column, 'occurred_at', 'id']);
  }
  for (const column of ['actor_id', 'request_id']) {
    const isGiven = sql<SqlBool>`${sql.ref(column)} is not null`;
    await partialIndex(db, `audit_logs_${column}`, 'audit_logs', [column, 'occurred_at', 'id'], isGiven);
  }
}

/**
 * Replaces the check that a column has one of these values. PostgreSQL does not check the existing rows, which were checked
 * when they were written.
 */
export async function replaceKnownValues<Tables>(
  db: Kysely<Tables>,
  table: string,
  column: string,
  values: readonly string[],
): Promise<void> {
  const name = sql.ref(`${table}_${column}_known`);
  await sql`alter table ${sql.ref(table)} drop constraint ${name}`.execute(db);
  await sql`
    alter table ${sql.ref(table)} add constraint ${name} check (${oneOf(column, values)})
    ${isPostgres(db) ? sql`not valid` : sql``}`.execute(db);
}
