import type { TenantDb, TenantTransaction } from '../db/database.ts';

/**
 * The same database, except that `addition` runs at the end of the first transaction that commits, with what its
 * work answered: both take effect or neither. When `addition` throws, the transaction is rolled back.
 */
export function withFirstTransaction(
  db: TenantDb,
  addition: (tx: TenantTransaction, result: unknown) => Promise<void>,
): TenantDb {
  let committed = false;
  const extended: Omit<TenantDb, symbol> = {
    engine: db.engine,
    query: db.query,
    async transaction(work) {
      if (committed) return await db.transaction(work);
      const result = await db.transaction(async (tx) => {
        const answer = await work(tx);
        await addition(tx, answer);
        return answer;
      });
      committed = true;
      return result;
    },
    first: (read, args) => db.first(read, args),
    close: () => db.close(),
  };
  return extended as TenantDb;
}
