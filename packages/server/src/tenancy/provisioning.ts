import { newId } from '../lib/ids.ts';
import type { Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';

/** Makes the databases of new tenants. */
export interface Provisioning {
  /**
   * Makes a new tenant's database, then runs `commit`, which writes the tenant's row: nobody sees a tenant without
   * its database. When `commit` fails the database is removed; a crash before it leaves one that nobody can reach
   * (`licensing doctor` names it).
   */
  provision<Result>(commit: (placement: Placement) => Promise<Result>): Promise<Result>;
}

/** See `Provisioning`. */
export function createProvisioning(databases: TenantDatabases): Provisioning {
  return {
    async provision(commit) {
      const id = newId();
      const placement = { id, ...(await databases.create(id)) };
      try {
        return await commit(placement);
      } catch (error) {
        await databases.drop(placement);
        throw error;
      }
    },
  };
}
