import { CompiledQuery, type Transaction } from 'kysely';

const scripts = new WeakSet<CompiledQuery>();

/** Runs several statements without parameters or results; PostgreSQL receives them as one message. */
export async function executeScript<Tables>(tx: Transaction<Tables>, statements: string): Promise<void> {
  const script = CompiledQuery.raw(statements);
  scripts.add(script);
  await tx.executeQuery(script);
}

/**
 * Returns true for a query of `executeScript`, which SQLite must not prepare: it would run only the first statement.
 */
export function isScript(query: CompiledQuery): boolean {
  return scripts.has(query);
}
