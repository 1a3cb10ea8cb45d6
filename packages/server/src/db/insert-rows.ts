import { CompiledQuery, type Kysely, sql } from 'kysely';
import { isPostgres } from './dialect.ts';

/** SQLite takes 32,766 parameters and PostgreSQL 65,535; statements of this size are far from either. */
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

/** Statements of the full size are compiled once, so that the engine keeps them prepared too. */
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
 * Inserts rows that all have the columns of the first one, many with each statement. Kysely's own `values(rows)`
 * builds a tree of every value and costs several times what the insertion does.
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
