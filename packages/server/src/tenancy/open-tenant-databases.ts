import type { Config } from '../config/config.ts';
import type { PlatformDb } from '../db/database.ts';
import type { Migrations } from '../db/migrations/migrate.ts';
import { tenantMigrations } from '../db/migrations/tenant/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { embeddedPlacement, type Placement } from './placement.ts';
import { postgresTenantDatabases } from './postgres-tenant-databases.ts';
import { createServerConnections, type ServerConnections } from './server-connections.ts';
import { embeddedTenantDatabases } from './sqlite-tenant-databases.ts';
import type { TenantDatabases } from './tenant-databases.ts';

interface Dependencies {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Those of this version of the program unless given. */
  readonly tenantMigrations?: Migrations;
  /** Shared with whoever else opens tenants in this process; absent: nobody does. */
  readonly connections?: ServerConnections;
}

type TenancyConfig = Pick<Config, 'dataDir' | 'tenantDatabaseUrls' | 'tenantConnectionsPerServer'>;

/**
 * The tenants' databases, each on the engine that its placement names. New ones are on the servers of the
 * configuration, else in files.
 */
export function openTenantDatabases(
  { dataDir, tenantDatabaseUrls, tenantConnectionsPerServer }: TenancyConfig,
  { tenantMigrations: migrations = tenantMigrations, ...ground }: Dependencies,
): TenantDatabases {
  const files = embeddedTenantDatabases({ dataDir, clock: ground.clock, migrations });
  const connections = ground.connections ?? createServerConnections(tenantConnectionsPerServer);
  const servers = postgresTenantDatabases({ ...ground, serverUrls: tenantDatabaseUrls, migrations, connections });
  const engineOf = (place: string) => (place === embeddedPlacement ? files : servers);
  const at = ({ placement }: Placement) => engineOf(placement);
  const forNew = tenantDatabaseUrls.length > 0 ? servers : files;
  return {
    places: [...files.places, ...servers.places],
    place: (tenantId) => forNew.place(tenantId),
    create: (placement) => at(placement).create(placement),
    initialise: (placement) => at(placement).initialise(placement),
    open: (placement) => at(placement).open(placement),
    connect: (placement) => at(placement).connect(placement),
    migrate: (placement) => at(placement).migrate(placement),
    createBeside: (tenantId, schema, place) =>
      (place === undefined ? forNew : engineOf(place)).createBeside(tenantId, schema, place),
    load: (placement) => at(placement).load(placement),
    readSnapshot: (placement) => at(placement).readSnapshot(placement),
    hold: (placement) => at(placement).hold(placement),
    isInUse: (placement) => at(placement).isInUse(placement),
    drop: (placement) => at(placement).drop(placement),
  };
}
