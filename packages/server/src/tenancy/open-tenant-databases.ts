import type { Config } from '../config/config.ts';
import type { PlatformDb } from '../db/database.ts';
import type { Migrations } from '../db/migrations/migrate.ts';
import { tenantMigrations } from '../db/migrations/tenant/index.ts';
import { createServerConnections, type ServerConnections } from '../db/postgres/connection-budget.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { type MigrationBackoff, noBackoff } from './migration-backoff.ts';
import { embeddedPlacement, type Placement } from './placement.ts';
import { postgresTenantDatabases } from './postgres-tenant-databases.ts';
import { embeddedTenantDatabases } from './sqlite-tenant-databases.ts';
import type { SeedTenant, TenantDatabases } from './tenant-databases.ts';

interface Dependencies {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly seedTenant: SeedTenant;
  /** Default: the migrations of this version of the program. */
  readonly tenantMigrations?: Migrations;
  /** When `open` migrates again after a failure; when absent, at each call. */
  readonly migrationBackoff?: MigrationBackoff;
  /** The connection budgets that all users in this process share; when absent, new ones are created. */
  readonly connections?: ServerConnections;
}

type TenancyConfig = Pick<Config, 'dataDir' | 'tenantDatabaseUrls' | 'tenantConnectionsPerServer'>;

/**
 * Gives access to the tenants' databases, each on the engine that its placement names. New tenants are placed on the
 * servers of `TENANT_DATABASE_URLS`, or in SQLite files without such servers.
 */
export function openTenantDatabases(
  { dataDir, tenantDatabaseUrls, tenantConnectionsPerServer }: TenancyConfig,
  { tenantMigrations: migrations = tenantMigrations, migrationBackoff = noBackoff, ...dependencies }: Dependencies,
): TenantDatabases {
  const { clock, seedTenant } = dependencies;
  const files = embeddedTenantDatabases({ dataDir, clock, migrations, seedTenant, migrationBackoff });
  const connections = dependencies.connections ?? createServerConnections(tenantConnectionsPerServer);
  const servers = postgresTenantDatabases({
    ...dependencies,
    serverUrls: tenantDatabaseUrls,
    migrations,
    migrationBackoff,
    connections,
  });
  const engineOf = (place: string) => (place === embeddedPlacement ? files : servers);
  const at = ({ placement }: Placement) => engineOf(placement);
  const newTenants = tenantDatabaseUrls.length > 0 ? servers : files;
  return {
    places: [...files.places, ...servers.places],
    place: (tenantId) => newTenants.place(tenantId),
    create: (placement) => at(placement).create(placement),
    initialise: (placement) => at(placement).initialise(placement),
    open: (placement) => at(placement).open(placement),
    connect: (placement) => at(placement).connect(placement),
    migrate: (placement) => at(placement).migrate(placement),
    createBeside: (tenantId, schema, target) =>
      (target === undefined ? newTenants : engineOf(target.place)).createBeside(tenantId, schema, target),
    async dropGeneration(tenantId, generation) {
      await files.dropGeneration(tenantId, generation);
      await servers.dropGeneration(tenantId, generation);
    },
    load: (placement) => at(placement).load(placement),
    readSnapshot: (placement) => at(placement).readSnapshot(placement),
    guardMigrations: (placement) => at(placement).guardMigrations(placement),
    isInUse: (placement) => at(placement).isInUse(placement),
    sizeOf: (placement) => at(placement).sizeOf(placement),
    drop: (placement) => at(placement).drop(placement),
  };
}
