import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openSqliteLoader, openSqliteSnapshot } from '../db/archive/sqlite-rows.ts';
import { checkSchema, type Migrations } from '../db/migrations/migrate.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import type { TenantTables } from '../db/tables/tenant-tables.ts';
import type { Clock } from '../lib/clock.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { MigrationBackoff } from './migration-backoff.ts';
import { databaseGeneration, embeddedPlacement, type Placement, tenantFile } from './placement.ts';
import type { SeedTenant, TenantDatabases } from './tenant-databases.ts';
import { initialiseTenantDb, migrateTenantDb, prepareTenantDb, verifyTenantDb } from './verify-and-migrate.ts';

interface EmbeddedTenantDatabasesOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly migrations: Migrations;
  readonly seedTenant: SeedTenant;
  /** Default: none. */
  readonly migrationBackoff?: MigrationBackoff;
}

const sizeOfFile = async (file: string) => (await stat(file)).size;

/**
 * Stores each tenant as a SQLite file in the data directory, readable only by the service's own operating-system user.
 */
export function embeddedTenantDatabases(options: EmbeddedTenantDatabasesOptions): TenantDatabases {
  const { dataDir, clock, migrations } = options;
  const fileOf = ({ id, database_name }: Pick<Placement, 'id' | 'database_name'>) =>
    tenantFile(dataDir, id, database_name);
  const connect = (placement: Placement) => openSqlite<TenantTables>(fileOf(placement), {});
  const ownerOf = ({ id }: Placement) => ({ id, sql: 'select tenant_id from tenant_identity' });
  const beside = (tenantId: string, generation: string): Placement => ({
    id: tenantId,
    placement: embeddedPlacement,
    database_name: `${tenantId}-${generation}`,
    database_secret: null,
  });
  async function drop(placement: Placement): Promise<void> {
    const file = fileOf(placement);
    await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })));
  }
  async function createFile(file: string): Promise<void> {
    makeFolder(dirname(file));
    await openSqlite<TenantTables>(file, { create: true }).close();
  }
  return {
    place: (tenantId) =>
      Promise.resolve({ id: tenantId, placement: embeddedPlacement, database_name: null, database_secret: null }),
    create: (placement) => createFile(fileOf(placement)),
    initialise: (placement) => initialiseTenantDb(connect(placement), placement.id, options),
    open(placement) {
      options.migrationBackoff?.assertCheckDue(placement.id);
      const database = openSqlite<TenantTables>(fileOf(placement), { owner: ownerOf(placement) });
      return verifyTenantDb(database, placement.id, options);
    },
    async migrate(placement) {
      const database = connect(placement);
      try {
        const state = await checkSchema(database, migrations);
        if (state === 'behind' || state === 'ahead') return await migrateTenantDb(database, placement.id, options);
        // A current database needs no write lock, so this does not wait for a transaction of the running service.
        await verifyTenantDb(database, placement.id, options);
        return { state, applied: [] };
      } finally {
        await database.close();
      }
    },
    connect,
    async createBeside(tenantId, schema, target) {
      const placement = beside(tenantId, target?.generation ?? databaseGeneration(clock.nowMs()));
      await createFile(fileOf(placement));
      await prepareTenantDb(connect(placement), migrations, schema);
      return placement;
    },
    places: [embeddedPlacement],
    // A migration and a snapshot of a file do not wait for each other.
    guardMigrations: () => Promise.resolve({ isAwaited: () => Promise.resolve(false), close: () => Promise.resolve() }),
    // Deleting an open file is safe: a process keeps its open file after the name is removed.
    isInUse: () => Promise.resolve(false),
    load: (placement) => Promise.try(() => openSqliteLoader(fileOf(placement))),
    readSnapshot: (placement) => Promise.try(() => openSqliteSnapshot(fileOf(placement))),
    async sizeOf(placement) {
      const file = fileOf(placement);
      const sizes = await Promise.all([sizeOfFile(file), sizeOfFile(`${file}-wal`).catch(() => 0)]);
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    dropGeneration: (tenantId, generation) => drop(beside(tenantId, generation)),
    drop,
  };
}
