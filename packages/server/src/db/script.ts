import { CompiledQuery, type Transaction } from 'kysely';

const scripts = new WeakSet<CompiledQuery>();

/** Runs several statements without parameters in one go, which PostgreSQL gets as one message. They answer nothing. */
export async function executeScript<Tables>(tx: Transaction<Tables>, statements: string): Promise<void> {
  const script = CompiledQuery.raw(statements);
  scripts.add(script);
  await tx.executeQuery(script);
}

/** True for what `executeScript` sends: SQLite would prepare its first statement only. */
export function isScript(query: CompiledQuery): boolean {
  return scripts.has(query);
}
