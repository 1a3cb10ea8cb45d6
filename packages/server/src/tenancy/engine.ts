import type { Config } from '../config.ts';
import type { PlatformDb } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { embeddedTenantDatabases } from './embedded.ts';
import { postgresTenantDatabases } from './postgres.ts';
import type { TenantDatabases } from './tenant-databases.ts';

interface Ground {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** The tenants' databases on the engine that the configuration chooses. */
export function openTenantDatabases(
  { dataDir, databaseUrl, tenantDatabaseUrls }: Pick<Config, 'dataDir' | 'databaseUrl' | 'tenantDatabaseUrls'>,
  ground: Ground,
): TenantDatabases {
  if (databaseUrl === null) return embeddedTenantDatabases(dataDir, ground.clock);
  return postgresTenantDatabases({ serverUrls: tenantDatabaseUrls, ...ground });
}
