import { migrationLockId } from '../dialect.ts';
import { connectForCopy, copyLimits } from './postgres-catalogue.ts';

/** Keeps migrations from starting in a database until it is closed. */
export interface MigrationGuard {
  /** Returns true if a migration waits for this guard. */
  isAwaited(): Promise<boolean>;
  close(): Promise<void>;
}

// https://www.postgresql.org/docs/current/view-pg-locks.html: the key is split into two columns of 32 bits.
const awaitedSql = `select from pg_locks
  where locktype = 'advisory' and not granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) | objid::bigint = ${migrationLockId}`;

/**
 * Holds the lock that migrations of any version of the program take first. A migration that changes a table would
 * otherwise wait for a copy that reads it, and every statement on that table would wait behind the migration.
 */
export async function guardPostgres(url: string): Promise<MigrationGuard> {
  const connection = await connectForCopy(url);
  try {
    await connection.query(`begin; ${copyLimits}`);
    await connection.query(`select pg_advisory_xact_lock(${migrationLockId})`);
    return {
      isAwaited: async () => (await connection.query(awaitedSql)).length > 0,
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The guard of an engine on which a migration and a copy do not wait for each other. */
export const noMigrationGuard: MigrationGuard = {
  isAwaited: () => Promise.resolve(false),
  close: () => Promise.resolve(),
};
