import type { TenantDb } from '../db/database.ts';
import { newId } from '../lib/ids.ts';
import type { Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';

/** Creates the databases of new tenants. */
export interface Provisioning {
  /**
   * Creates a new tenant's database, then runs `commit`, which writes the tenant's row; a tenant is therefore never
   * visible without its database. When a server cannot create the database, the next server is tried. When `commit`
   * fails, the database is removed. A crash before the commit leaves an unreferenced database, which
   * `licensing doctor` reports.
   */
  provision<Result>(commit: (placement: Placement) => Promise<Result>): Promise<Result>;
  /** Returns the size of a tenant's database in bytes, without opening the database. */
  sizeOf(placement: Placement): Promise<number>;
  /**
   * The single steps of `provision`, for a caller that records each step and resumes after a crash. The caller must
   * store the placement before `create`. Every step is idempotent, even when the same step runs concurrently.
   */
  readonly steps: Pick<TenantDatabases, 'place' | 'create' | 'initialise' | 'drop'> & {
    /** Runs `work` on a database that no tenant's row refers to yet, and closes the database afterwards. */
    withDatabase(placement: Placement, work: (db: TenantDb) => Promise<void>): Promise<void>;
  };
}

/** Creates the `Provisioning` for the given tenant databases. */
export function createProvisioning(databases: TenantDatabases): Provisioning {
  return {
    async provision(commit) {
      const placement = await createDatabase(databases);
      try {
        return await commit(placement);
      } catch (error) {
        await databases.drop(placement);
        throw error;
      }
    },
    sizeOf: (placement) => databases.sizeOf(placement),
    steps: {
      place: (tenantId) => databases.place(tenantId),
      create: (placement) => databases.create(placement),
      initialise: (placement) => databases.initialise(placement),
      drop: (placement) => databases.drop(placement),
      async withDatabase(placement, work) {
        const db = await databases.open(placement);
        try {
          await work(db);
        } finally {
          await db.close();
        }
      },
    },
  };
}

/**
 * Creates a new tenant's database on the first server that accepts it; throws the last server's error if every server
 * refuses it.
 */
async function createDatabase(databases: TenantDatabases): Promise<Placement> {
  const tenantId = newId();
  const refused = new Set<string>();
  for (let placement = await databases.place(tenantId); ; ) {
    try {
      await databases.create(placement);
      await databases.initialise(placement);
      return placement;
    } catch (error) {
      // The cause of the failed creation matters more than a failed removal, and `licensing doctor` reports leftovers.
      await databases.drop(placement).catch(() => undefined);
      refused.add(placement.placement);
      placement = await databases.place(tenantId);
      if (refused.has(placement.placement)) throw error;
    }
  }
}
