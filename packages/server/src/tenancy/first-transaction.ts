import type { TenantDb, TenantTransaction } from '../db/database.ts';

type Transact = TenantDb['transaction'];

/**
 * Wraps a database so that `addition` runs inside the first transaction (bulk or not) that commits, after the work
 * of that transaction and with its result. Both commit or neither does: when `addition` throws, the transaction is
 * rolled back.
 */
export function withFirstTransaction(
  db: TenantDb,
  addition: (tx: TenantTransaction, result: unknown) => Promise<void>,
): TenantDb {
  let committed = false;
  const withAddition =
    (transact: Transact): Transact =>
    async (work) => {
      if (committed) return await transact(work);
      const result = await transact(async (tx) => {
        const workResult = await work(tx);
        await addition(tx, workResult);
        return workResult;
      });
      committed = true;
      return result;
    };
  const extended: Omit<TenantDb, symbol> = {
    engine: db.engine,
    query: db.query,
    transaction: withAddition((work) => db.transaction(work)),
    bulkTransaction: withAddition((work) => db.bulkTransaction(work)),
    forgetDeleted: (options) => db.forgetDeleted(options),
    first: (read, args) => db.first(read, args),
    hasConnectionAtHand: () => db.hasConnectionAtHand(),
    isIntact: () => db.isIntact(),
    close: () => db.close(),
  };
  return extended as TenantDb;
}
