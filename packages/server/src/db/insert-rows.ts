import { CompiledQuery, type Kysely, sql } from 'kysely';
import { isPostgres } from './dialect.ts';

/** Far below the limits of parameters per statement: 32,766 on SQLite and 65,535 on PostgreSQL. */
const rowsPerStatement = 64;

interface Statement {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

function insertSql(db: Kysely<never>, { table, columns, rows }: Statement): string {
  const row = columns.map(() => null);
  const values = Array.from({ length: rows }, () => sql`(${sql.join(row)})`);
  return sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}`.compile(
    db,
  ).sql;
}

const fullStatements = new Map<string, string>();

/**
 * Returns the text of a statement. Full-size statements are compiled once, so that the engine reuses the prepared one.
 */
function statementFor(db: Kysely<never>, statement: Statement): string {
  if (statement.rows < rowsPerStatement) return insertSql(db, statement);
  const dialect = isPostgres(db) ? 'postgres' : 'sqlite';
  const name = [dialect, statement.table, ...statement.columns].join(' ');
  let text = fullStatements.get(name);
  if (text === undefined) {
    text = insertSql(db, statement);
    fullStatements.set(name, text);
  }
  return text;
}

/**
 * Inserts rows, 64 per statement. All rows must have the columns of the first one. Kysely's own `values(rows)` builds a
 * syntax tree of every value, which costs several times as much as the insertion itself.
 */
export async function insertRows<Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  rows: NoInfer<readonly Tables[Table][]>,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first as object);
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const chunk = rows.slice(start, start + rowsPerStatement) as readonly Readonly<Record<string, unknown>>[];
    const parameters: unknown[] = [];
    for (const row of chunk) for (const column of columns) parameters.push(row[column]);
    const text = statementFor(db as unknown as Kysely<never>, { table, columns, rows: chunk.length });
    await db.executeQuery(CompiledQuery.raw(text, parameters));
  }
}
