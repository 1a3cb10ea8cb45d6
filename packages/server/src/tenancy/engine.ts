import type { Config } from '../config.ts';
import type { PlatformDb } from '../db/database.ts';
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
  /** Shared with whoever else opens tenants in this process; absent: nobody does. */
  readonly connections?: ServerConnections;
}

/** The tenants' databases on the engine that the configuration chooses. */
export function openTenantDatabases(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'tenantDatabaseUrls' | 'tenantConnectionsPerServer'>,
  ground: Ground,
): TenantDatabases {
  if (config.databaseUrl === null) return embeddedTenantDatabases(config.dataDir, ground.clock);
  const connections = ground.connections ?? createServerConnections(config.tenantConnectionsPerServer);
  return postgresTenantDatabases({ serverUrls: config.tenantDatabaseUrls, ...ground, connections });
}
