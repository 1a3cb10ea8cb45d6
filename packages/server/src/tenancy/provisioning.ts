import type { TenantDb } from '../db/database.ts';
import { newId } from '../lib/ids.ts';
import type { Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';

/** Makes the databases of new tenants. */
export interface Provisioning {
  /**
   * Makes a new tenant's database, then runs `commit`, which writes the tenant's row: nobody sees a tenant without
   * its database. Where a server refuses to make it, the next one is tried. When `commit` fails the database is removed;
   * a crash before it leaves one that nobody can reach (`licensing doctor` names it).
   */
  provision<Result>(commit: (placement: Placement) => Promise<Result>): Promise<Result>;
  /**
   * The steps of it, for work that writes each of them down and goes on after a crash. All may be repeated, even beside
   * each other, for a placement that was written down before anything was made.
   */
  readonly steps: Pick<TenantDatabases, 'place' | 'create' | 'initialise' | 'drop'> & {
    /** Runs `work` on a database that has no tenant's row yet. */
    withDatabase(placement: Placement, work: (db: TenantDb) => Promise<void>): Promise<void>;
  };
}

/** See `Provisioning`. */
export function createProvisioning(databases: TenantDatabases): Provisioning {
  return {
    async provision(commit) {
      const placement = await makeDatabase(databases);
      try {
        return await commit(placement);
      } catch (error) {
        await databases.drop(placement);
        throw error;
      }
    },
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

/** Makes a new tenant's database on the first server that does not refuse. */
async function makeDatabase(databases: TenantDatabases): Promise<Placement> {
  const tenantId = newId();
  const refused = new Set<string>();
  for (let placement = await databases.place(tenantId); ; ) {
    try {
      await databases.create(placement);
      await databases.initialise(placement);
      return placement;
    } catch (error) {
      // What cannot be removed now is named by the doctor; why it was not made matters more.
      await databases.drop(placement).catch(() => undefined);
      refused.add(placement.placement);
      placement = await databases.place(tenantId);
      if (refused.has(placement.placement)) throw error;
    }
  }
}
