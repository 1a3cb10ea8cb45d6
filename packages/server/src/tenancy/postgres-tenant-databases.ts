import { randomBytes } from 'node:crypto';
import { guardPostgres, openPostgresLoader, openPostgresSnapshot } from '../db/archive/postgres-rows.ts';
import type { PlatformDb } from '../db/database.ts';
import { DatabaseUnavailableError } from '../db/errors.ts';
import type { Migrations } from '../db/migrations/migrate.ts';
import {
  createTenantDatabase,
  databaseSize,
  dropTenantDatabase,
  hasBusySessions,
  probeServer,
} from '../db/postgres/admin.ts';
import type { ServerConnections } from '../db/postgres/connection-budget.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import type { TenantTables } from '../db/tables/tenant-tables.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import type { MigrationBackoff } from './migration-backoff.ts';
import { assertReachable, countTenantsByPlace, listLiveNodes, nodesWithout } from './nodes.ts';
import { databaseGeneration, type Placement } from './placement.ts';
import type { SeedTenant, TenantDatabases } from './tenant-databases.ts';
import { initialiseTenantDb, migrateTenantDb, prepareTenantDb, verifyTenantDb } from './verify-and-migrate.ts';

interface PostgresTenantDatabasesOptions {
  /** The servers that hold tenant databases. The role in each URL must be allowed to create databases and roles. */
  readonly serverUrls: readonly string[];
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly migrations: Migrations;
  readonly seedTenant: SeedTenant;
  readonly migrationBackoff: MigrationBackoff;
  readonly connections: ServerConnections;
}

interface Credentials {
  readonly databaseName: string;
  readonly password: string;
}

/** Returns the `host:port` of a server, which is the value of `placement` for the tenants on it. */
export function serverName(serverUrl: string): string {
  const url = new URL(serverUrl);
  return `${url.hostname}:${url.port === '' ? '5432' : url.port}`;
}

/** Returns the URL that connects with the tenant's own role, which can connect to no other database. */
function tenantUrl(serverUrl: string, credentials: Credentials): string {
  const url = new URL(serverUrl);
  url.username = credentials.databaseName;
  url.password = credentials.password;
  url.pathname = `/${credentials.databaseName}`;
  return url.href;
}

/** Stores each tenant as a PostgreSQL database with its own role, on the server that holds the fewest tenants. */
export function postgresTenantDatabases(options: PostgresTenantDatabasesOptions): TenantDatabases {
  const { platform, keyring, clock, migrations, connections } = options;
  const urlsByName = new Map(options.serverUrls.map((url) => [serverName(url), url]));

  function serverUrlOf(placement: Placement): string {
    const url = urlsByName.get(placement.placement);
    if (url !== undefined) return url;
    throw new DatabaseUnavailableError(
      `Tenant ${placement.id} is placed on ${placement.placement}, which is not in TENANT_DATABASE_URLS: add that server to the variable.`,
    );
  }

  function credentialsOf(placement: Placement): Credentials {
    if (placement.database_name === null || placement.database_secret === null) {
      throw new Error(
        `Tenant ${placement.id} has no database name or secret in its placement: correct its row in the platform database.`,
      );
    }
    return { databaseName: placement.database_name, password: keyring.open(placement.database_secret) };
  }

  const urlOf = (placement: Placement) => tenantUrl(serverUrlOf(placement), credentialsOf(placement));
  const budgetOf = (placement: Placement) => connections.budgetOf(placement.placement);
  const connect = (placement: Placement) =>
    openPostgres<TenantTables>({ url: urlOf(placement), budget: budgetOf(placement) });
  const choice = createServerChoice({
    platform,
    clock,
    servers: [...urlsByName.keys()],
    probe: (server) => probeServer(urlsByName.get(server) ?? '', connections.budgetOf(server)),
  });

  async function create(placement: Placement): Promise<void> {
    try {
      await createTenantDatabase(serverUrlOf(placement), credentialsOf(placement), budgetOf(placement));
    } catch (error) {
      // A full disk is detected only here. The next tenant is placed on another server.
      choice.avoid(placement.placement);
      throw error;
    }
  }

  const nameOf = (tenantId: string) => `tenant_${tenantId.replaceAll('-', '')}`;
  const placeOn = (server: string, id: string, database_name: string): Placement => ({
    id,
    placement: server,
    database_name,
    database_secret: keyring.seal(randomBytes(32).toString('hex')),
  });
  /**
   * By server: the number of databases that this process created and that no tenant's row refers to yet. A restore
   * creates all databases before it writes the rows, so the row counts alone would put all of them on one server.
   */
  const unnamed = new Map<string, number>();

  return {
    async place(tenantId) {
      return placeOn(await choice.choose(), tenantId, nameOf(tenantId));
    },
    create,
    async createBeside(tenantId, schema, target) {
      if (target !== undefined) assertReachable(target.place, await listLiveNodes(platform, clock.now()));
      const server = target?.place ?? (await choice.choose(unnamed));
      unnamed.set(server, (unnamed.get(server) ?? 0) + 1);
      const generation = target?.generation ?? databaseGeneration(clock.nowMs());
      const placement = placeOn(server, tenantId, `${nameOf(tenantId)}_${generation}`);
      await create(placement);
      await prepareTenantDb(connect(placement), migrations, schema);
      return placement;
    },
    places: [...urlsByName.keys()],
    guardMigrations: (placement) => guardPostgres(urlOf(placement)),
    isInUse: (placement) =>
      hasBusySessions(serverUrlOf(placement), credentialsOf(placement).databaseName, budgetOf(placement)),
    load: (placement) => openPostgresLoader(urlOf(placement)),
    readSnapshot: (placement) => openPostgresSnapshot(urlOf(placement)),
    initialise: (placement) => initialiseTenantDb(connect(placement), placement.id, options),
    open(placement) {
      options.migrationBackoff.assertCheckDue(placement.id);
      return verifyTenantDb(connect(placement), placement.id, options);
    },
    // No schema check before the transaction: it would need a second connection.
    migrate: (placement) => migrateTenantDb(connect(placement), placement.id, options),
    connect,
    sizeOf: (placement) =>
      databaseSize(serverUrlOf(placement), credentialsOf(placement).databaseName, budgetOf(placement)),
    async dropGeneration(tenantId, generation) {
      const name = `${nameOf(tenantId)}_${generation}`;
      for (const [server, url] of urlsByName) await dropTenantDatabase(url, name, connections.budgetOf(server));
    },
    drop: (placement) =>
      dropTenantDatabase(serverUrlOf(placement), credentialsOf(placement).databaseName, budgetOf(placement)),
  };
}

/** How long a server that failed receives no new tenants, while another server is available. */
const avoidedForMs = 30_000;

interface ServerChoiceOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  /** `host:port` of each server, as in placements. */
  readonly servers: readonly string[];
  /** Rejects when a server accepts no connection. */
  readonly probe: (server: string) => Promise<void>;
}

/** Selects the server for the next tenant's database. */
export interface ServerChoice {
  /**
   * Returns the reachable server with the fewest tenants; when no server is reachable, the server with the fewest
   * tenants. Servers that a running node cannot reach are excluded; throws if no other is left. `unnamed` holds, by server, the number of databases that no tenant's row refers to yet; they count too.
   */
  choose(unnamed?: ReadonlyMap<string, number>): Promise<string>;
  /** Excludes a server from the selection for 30 s, as long as another server is available. */
  avoid(server: string): void;
}

/** Creates the selection among the servers of an installation. A single server is returned without a probe. */
function createServerChoice({ platform, clock, servers, probe }: ServerChoiceOptions): ServerChoice {
  const avoidedUntilMs = new Map<string, number>();
  const avoid = (server: string) => void avoidedUntilMs.set(server, clock.nowMs() + avoidedForMs);
  const isAvoided = (server: string) => (avoidedUntilMs.get(server) ?? 0) > clock.nowMs();

  async function isReachable(server: string): Promise<boolean> {
    if (isAvoided(server)) return false;
    try {
      await probe(server);
      return true;
    } catch {
      avoid(server);
      return false;
    }
  }

  return {
    avoid,
    async choose(unnamed = new Map()) {
      const [first] = servers;
      if (first === undefined)
        throw new Error('TENANT_DATABASE_URLS lists no server: add at least one PostgreSQL URL.');
      const nodes = await listLiveNodes(platform, clock.now());
      const shared = servers.filter((server) => nodesWithout(server, nodes).length === 0);
      const [only] = shared;
      if (only === undefined) assertReachable(first, nodes);
      if (only !== undefined && shared.length === 1) return only;
      const byLoad = await sortByLoad(platform, shared, unnamed);
      for (const server of byLoad) if (await isReachable(server)) return server;
      return byLoad[0] ?? first;
    },
  };
}

async function sortByLoad(
  platform: PlatformDb,
  servers: readonly string[],
  unnamed: ReadonlyMap<string, number>,
): Promise<string[]> {
  const load = await countTenantsByPlace(platform);
  const loadOf = (server: string) => (load.get(server) ?? 0) + (unnamed.get(server) ?? 0);
  return [...servers].sort((left, right) => loadOf(left) - loadOf(right));
}
