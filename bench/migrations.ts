import type { OpenServices } from '../packages/server/src/app.ts';
import type { Migration, Migrations } from '../packages/server/src/db/migrate.ts';
import { tenantMigrations } from '../packages/server/src/db/migrations/tenant/index.ts';
import { createTenant } from '../packages/server/src/features/tenants/service.ts';
import { inParallel } from '../packages/server/src/lib/in-parallel.ts';
import { openTenantDatabases } from '../packages/server/src/tenancy/engine.ts';
import { migrateFleet, type TenantOutcome } from '../packages/server/src/tenancy/fleet-migration.ts';
import { findTenantRecord } from '../packages/server/src/tenancy/record.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import { onServer } from '../packages/server/test/support/platform-template.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { isQuick } from './measure.ts';
import { createSite, withSite } from './site.ts';
import type { Row } from './table.ts';
import { copyEmbeddedTenant } from './tenant-copies.ts';

const parallelism = 4;
const embeddedTenants = isQuick ? 50 : 5000;
const postgresTenants = isQuick ? 10 : 500;
const embeddedTargetMs = 3;
const postgresTargetMs = 10;

const newColumn: Migration = { up: (db) => db.schema.alterTable('licenses').addColumn('bench', 'text').execute() };

/** The migrations with one more, as most are. */
const withColumn: Migrations = { ...tenantMigrations, '9999-bench': newColumn };

/** What `licensing migrate` takes for each of many tenants that get a new column, and to find that there is nothing to do. */
export async function benchmarkMigrations(): Promise<Row[]> {
  return [...(await benchmarkEmbedded()), ...(await benchmarkPostgres())];
}

async function benchmarkEmbedded(): Promise<Row[]> {
  const site = await createSite();
  try {
    const original = await withSite(site, (services) => createTenant(services, systemActor, { name: 'Original' }));
    return await withSite(site, async (services) => {
      await copyEmbeddedTenant(services, original, embeddedTenants - 1);
      return await migrateTwice(services, 'SQLite', embeddedTargetMs);
    });
  } finally {
    await site.remove();
  }
}

async function benchmarkPostgres(): Promise<Row[]> {
  const postgres = await startPostgres({ durable: true });
  const site = await createSite(postgres.url);
  try {
    return await withSite(site, async (services) => {
      await withoutFlushes(postgres.url, () =>
        inParallel(Array.from({ length: postgresTenants }).keys(), parallelism, async (index) => {
          await createTenant(services, systemActor, { name: `Tenant ${index}` });
        }),
      );
      return await migrateTwice(services, 'PostgreSQL', postgresTargetMs);
    });
  } finally {
    await site.remove();
    await postgres.stop();
  }
}

/** What is made only to be migrated need not wait for the disk; what is measured does. */
async function withoutFlushes(url: string, work: () => Promise<void>): Promise<void> {
  await onServer(url, ['alter system set fsync = off', 'select pg_reload_conf()']);
  await work();
  await onServer(url, ['alter system reset fsync', 'select pg_reload_conf()', 'checkpoint']);
}

async function migrateTwice(services: OpenServices, engine: string, targetMs: number): Promise<Row[]> {
  const first = await migrateAll(services, 'migrated');
  const again = await migrateAll(services, 'current');
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
  /** For each tenant. */
  readonly wallMs: number;
  readonly cpuMs: number;
}

function described({ wallMs, cpuMs }: Measured): string {
  return `${wallMs.toFixed(2)} ms each (${cpuMs.toFixed(2)} ms CPU here)`;
}

async function migrateAll(services: OpenServices, expected: TenantOutcome): Promise<Measured> {
  const tenants = await services.platform.query.selectFrom('tenants').select(['id', 'placement']).execute();
  const databases = openTenantDatabases(services.config, { ...services, tenantMigrations: withColumn });
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
