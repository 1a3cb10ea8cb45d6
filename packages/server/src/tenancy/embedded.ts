import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openSqlite } from '../db/sqlite.ts';
import type { TenantTables } from '../db/tables.ts';
import type { Clock } from '../lib/clock.ts';
import { initialiseTenantDb, verifyTenantDb } from './opening.ts';
import { embeddedPlacement, type Placement, tenantFile } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';

/** Tenants as SQLite files in the data directory, readable by the service's own user only. */
export function embeddedTenantDatabases(dataDir: string, clock: Clock): TenantDatabases {
  const connect = (placement: Placement) => openSqlite<TenantTables>(tenantFile(dataDir, placement.id), {});
  return {
    place: (tenantId) =>
      Promise.resolve({ id: tenantId, placement: embeddedPlacement, database_name: null, database_secret: null }),
    async create(placement) {
      const file = tenantFile(dataDir, placement.id);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await openSqlite<TenantTables>(file, { create: true }).close();
    },
    initialise: (placement) => initialiseTenantDb(connect(placement), placement.id, clock),
    open: (placement) => verifyTenantDb(connect(placement), placement.id),
    connect,
    async drop(placement) {
      const file = tenantFile(dataDir, placement.id);
      await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })));
    },
  };
}
