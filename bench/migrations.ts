import type { OpenServices } from '../packages/server/src/app.ts';
import { createMigrationThreads } from '../packages/server/src/commands/migrate/migration-threads.ts';
import { loadOrCreateAppKey } from '../packages/server/src/config/app-key.ts';
import { createTenant } from '../packages/server/src/features/accounts/tenants/service.ts';
import { inParallel } from '../packages/server/src/lib/in-parallel.ts';
import { migrateFleet, type TenantOutcome } from '../packages/server/src/tenancy/fleet-migration.ts';
import { openTenantDatabases } from '../packages/server/src/tenancy/open-tenant-databases.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import type { TenantDatabases } from '../packages/server/src/tenancy/tenant-databases.ts';
import { findTenantRecord } from '../packages/server/src/tenancy/tenant-record.ts';
import { onServer } from '../packages/server/test/support/platform-template.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { isQuick } from './measure.ts';
import { tenantMigrations } from './one-more-migration.ts';
import { createSite, withSite } from './site.ts';
import type { Row } from './table.ts';
import { copyEmbeddedTenant } from './tenant-copies.ts';

const parallelism = 4;
const embeddedTenants = isQuick ? 50 : 5000;
const postgresTenants = isQuick ? 10 : 500;
const embeddedTargetMs = 3;
const postgresTargetMs = 10;

/** Measures `licensing migrate` per file: adding a column, and finding nothing to do. */
export async function benchmarkMigrations(): Promise<Row[]> {
  const site = await createSite();
  try {
    const original = await withSite(site, (services) => createTenant(services, systemActor, { name: 'Original' }));
    return await withSite(site, async (services) => {
      await copyEmbeddedTenant(services, original, embeddedTenants - 1);
      const migrationsModule = new URL('./one-more-migration.ts', import.meta.url).href;
      const { appKey, dataDir } = services.config;
      const threads = createMigrationThreads({
        dataDir,
        appKey: appKey ?? loadOrCreateAppKey(dataDir),
        previousAppKeys: [],
        migrationsModule,
      });
      try {
        return await migrateTwice({ services, databases: threads }, 'SQLite', embeddedTargetMs);
      } finally {
        await threads.close();
      }
    });
  } finally {
    await site.remove();
  }
}

/** Measures the same for databases of a server that flushes its log at every commit. */
export async function benchmarkPostgresMigrations(): Promise<Row[]> {
  const postgres = await startPostgres({ durable: true });
  const site = await createSite(postgres.url);
  try {
    return await withSite(site, async (services) => {
      await withoutFlushes(postgres.url, () =>
        inParallel(Array.from({ length: postgresTenants }).keys(), parallelism, async (index) => {
          await createTenant(services, systemActor, { name: `Tenant ${index}` });
        }),
      );
      const databases = openTenantDatabases(services.config, { ...services, tenantMigrations });
      return await migrateTwice({ services, databases }, 'PostgreSQL', postgresTargetMs);
    });
  } finally {
    await site.remove();
    await postgres.stop();
  }
}

/** Disables flushes while the databases are created; the measured migration waits for the disk. */
async function withoutFlushes(url: string, work: () => Promise<void>): Promise<void> {
  await onServer(url, ['alter system set fsync = off', 'select pg_reload_conf()']);
  await work();
  await onServer(url, ['alter system reset fsync', 'select pg_reload_conf()', 'checkpoint']);
}

interface Fleet {
  readonly services: OpenServices;
  readonly databases: Pick<TenantDatabases, 'migrate'>;
}

async function migrateTwice(fleet: Fleet, engine: string, targetMs: number): Promise<Row[]> {
  const first = await migrateAll(fleet, 'migrated');
  const again = await migrateAll(fleet, 'current');
  const name = (what: string) => `${what} ${first.count.toLocaleString('en')} tenants, ${engine}`;
  const nothing = { floor: '-', ratio: '-' } as const;
  return [
    {
      ...{ name: name('a new column for'), ours: described(first), ...nothing },
      ...{ target: `≤ ${targetMs} ms`, verdict: first.wallMs <= targetMs ? 'ok' : 'short' },
    },
    { name: name('again, nothing to do for'), ours: described(again), ...nothing, target: '-', verdict: 'info' },
  ];
}

interface Measured {
  readonly count: number;
  /** Milliseconds per tenant. */
  readonly wallMs: number;
  readonly cpuMs: number;
}

function described({ wallMs, cpuMs }: Measured): string {
  return `${wallMs.toFixed(2)} ms each (${cpuMs.toFixed(2)} ms CPU here)`;
}

async function migrateAll({ services, databases }: Fleet, expected: TenantOutcome): Promise<Measured> {
  const tenants = await services.platform.query.selectFrom('tenants').select(['id', 'placement']).execute();
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  await migrateFleet({
    ...{ databases, tenants, parallelism, signal: new AbortController().signal },
    findPlacement: (tenantId) => findTenantRecord(services.platform, tenantId),
    onTenant({ outcome, error }) {
      if (outcome !== expected) throw new Error(`A tenant came out as ${outcome}.`, { cause: error });
    },
  });
  const wallMs = (performance.now() - startedAtMs) / tenants.length;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { count: tenants.length, wallMs, cpuMs: (user + system) / 1000 / tenants.length };
}
