import { parentPort, workerData } from 'node:worker_threads';
import { tenantMigrations } from '../../db/migrations/tenant/index.ts';
import { createFirstSigningKey } from '../../features/licensing/signing-keys/service.ts';
import { systemClock } from '../../lib/clock.ts';
import { createKeyring } from '../../lib/keyring.ts';
import type { Placement } from '../../tenancy/placement.ts';
import { embeddedTenantDatabases } from '../../tenancy/sqlite-tenant-databases.ts';
import type { MigrationReply, MigrationThreadData } from './migration-threads.ts';

// A worker thread that migrates one file at a time. Most of that time is spent waiting for the disk, which blocks
// only this thread.
const { dataDir, appKey, previousAppKeys, migrationsModule } = workerData as MigrationThreadData;
const { tenantMigrations: migrations } =
  migrationsModule === null ? { tenantMigrations } : await import(migrationsModule);
const clock = systemClock();
const seedTenant = createFirstSigningKey({ clock, keyring: createKeyring(appKey, previousAppKeys) });
const databases = embeddedTenantDatabases({ dataDir, clock, migrations, seedTenant });

parentPort?.on('message', async (placement: Placement) => {
  parentPort?.postMessage(await migrate(placement));
});

async function migrate(placement: Placement): Promise<MigrationReply> {
  try {
    return { result: await databases.migrate(placement) };
  } catch (error) {
    if (!(error instanceof Error)) return { failure: { name: 'Error', message: String(error), cause: undefined } };
    const { name, message, cause } = error;
    return { failure: { name, message, cause: cause instanceof Error ? cause.message : undefined } };
  }
}
