import { parentPort, workerData } from 'node:worker_threads';
import { tenantMigrations } from '../db/migrations/tenant/index.ts';
import { systemClock } from '../lib/clock.ts';
import type { MigrationAnswer, MigrationThreadData } from './migration-threads.ts';
import type { Placement } from './placement.ts';
import { embeddedTenantDatabases } from './sqlite-tenant-databases.ts';

/** A thread that migrates one file after the other: what it waits for is the disk, and other threads do not. */
const { dataDir, migrationsModule } = workerData as MigrationThreadData;
const { tenantMigrations: migrations } =
  migrationsModule === null ? { tenantMigrations } : await import(migrationsModule);
const databases = embeddedTenantDatabases({ dataDir, clock: systemClock(), migrations });

parentPort?.on('message', async (placement: Placement) => {
  parentPort?.postMessage(await answerTo(placement));
});

async function answerTo(placement: Placement): Promise<MigrationAnswer> {
  try {
    return { result: await databases.migrate(placement) };
  } catch (error) {
    if (!(error instanceof Error)) return { failure: { name: 'Error', message: String(error), cause: undefined } };
    const { name, message, cause } = error;
    return { failure: { name, message, cause: cause instanceof Error ? cause.message : undefined } };
  }
}
