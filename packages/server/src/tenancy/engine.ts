import type { Config } from '../config.ts';
import type { PlatformDb } from '../db/database.ts';
import type { Migrations } from '../db/migrate.ts';
import { tenantMigrations } from '../db/migrations/tenant/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { embeddedTenantDatabases } from './embedded.ts';
import { postgresTenantDatabases } from './postgres.ts';
import { createServerConnections, type ServerConnections } from './server-connections.ts';
import type { TenantDatabases } from './tenant-databases.ts';

interface Ground {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Those of this version of the program unless given. */
  readonly tenantMigrations?: Migrations;
  /** Shared with whoever else opens tenants in this process; absent: nobody does. */
  readonly connections?: ServerConnections;
}

/** The tenants' databases on the engine that the configuration chooses. */
export function openTenantDatabases(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'tenantDatabaseUrls' | 'tenantConnectionsPerServer'>,
  { tenantMigrations: migrations = tenantMigrations, ...ground }: Ground,
): TenantDatabases {
  const { dataDir, databaseUrl, tenantDatabaseUrls: serverUrls } = config;
  if (databaseUrl === null) return embeddedTenantDatabases({ dataDir, clock: ground.clock, migrations });
  const connections = ground.connections ?? createServerConnections(config.tenantConnectionsPerServer);
  return postgresTenantDatabases({ ...ground, serverUrls, migrations, connections });
}
