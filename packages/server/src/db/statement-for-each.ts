import type { CompiledQuery, Transaction } from 'kysely';
import type { SqlValue } from './database.ts';

const parametersOf = new WeakMap<CompiledQuery, readonly (readonly SqlValue[])[]>();

/**
 * Runs a statement once for each list of parameters, in their order, without building and awaiting it each time. On
 * SQLite only, where a statement costs no round trip; it blocks the process for about 15 µs for each list.
 */
export async function executeForEach<Tables>(
  tx: Transaction<Tables>,
  query: CompiledQuery,
  parameters: readonly (readonly SqlValue[])[],
): Promise<void> {
  parametersOf.set(query, parameters);
  await tx.executeQuery(query);
}

/** Returns the lists of parameters of a query of `executeForEach`; undefined for any other query. */
export function parametersOfEach(query: CompiledQuery): readonly (readonly SqlValue[])[] | undefined {
  return parametersOf.get(query);
}
