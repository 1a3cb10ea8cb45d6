import { randomBytes } from 'node:crypto';
import type { Database, PlatformDb } from '../db/database.ts';
import { openPostgres } from '../db/postgres.ts';
import { createTenantDatabase, dropTenantDatabase } from '../db/postgres-admin.ts';
import type { TenantTables } from '../db/tables.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { initialiseTenantDb, verifyTenantDb } from './opening.ts';
import type { Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';

interface PostgresTenantDatabasesOptions {
  /** The servers that hold tenant databases; their roles may create databases and roles. */
  readonly serverUrls: readonly string[];
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

interface Credentials {
  readonly databaseName: string;
  readonly password: string;
}

/** `host:port` of a server: what a tenant's placement names. */
export function serverName(serverUrl: string): string {
  const url = new URL(serverUrl);
  return `${url.hostname}:${url.port === '' ? '5432' : url.port}`;
}

/** A tenant's own URL on a server: its own role, which can connect to no other database. */
function tenantUrl(serverUrl: string, credentials: Credentials): string {
  const url = new URL(serverUrl);
  url.username = credentials.databaseName;
  url.password = credentials.password;
  url.pathname = `/${credentials.databaseName}`;
  return url.href;
}

/** Tenants as PostgreSQL databases, each with a role of its own, on the server that holds the fewest. */
export function postgresTenantDatabases(options: PostgresTenantDatabasesOptions): TenantDatabases {
  const { platform, keyring, clock } = options;
  const urlsByName = new Map(options.serverUrls.map((url) => [serverName(url), url]));

  function serverUrlOf(placement: Placement): string {
    const url = urlsByName.get(placement.placement);
    if (url !== undefined) return url;
    throw new Error(
      `Tenant ${placement.id} is placed on ${placement.placement}, which is not in TENANT_DATABASE_URLS: add that server.`,
    );
  }

  function credentialsOf(placement: Placement): Credentials {
    if (placement.database_name === null || placement.database_secret === null) {
      throw new Error(`Tenant ${placement.id} has no PostgreSQL database in its placement: correct its row.`);
    }
    return { databaseName: placement.database_name, password: keyring.open(placement.database_secret) };
  }

  function connect(placement: Placement): Database<TenantTables> {
    return openPostgres<TenantTables>({ url: tenantUrl(serverUrlOf(placement), credentialsOf(placement)) });
  }

  return {
    async place(tenantId) {
      const placement = await leastLoadedServer(platform, [...urlsByName.keys()]);
      const database_name = `tenant_${tenantId.replaceAll('-', '')}`;
      return { id: tenantId, placement, database_name, database_secret: keyring.seal(randomBytes(32).toString('hex')) };
    },
    create: (placement) => createTenantDatabase(serverUrlOf(placement), credentialsOf(placement)),
    initialise: (placement) => initialiseTenantDb(connect(placement), placement.id, clock),
    open: (placement) => verifyTenantDb(connect(placement), placement.id),
    connect,
    drop: (placement) => dropTenantDatabase(serverUrlOf(placement), credentialsOf(placement).databaseName),
  };
}

async function leastLoadedServer(platform: PlatformDb, servers: readonly string[]): Promise<string> {
  const [only] = servers;
  if (only !== undefined && servers.length === 1) return only;
  const rows = await platform.query
    .selectFrom('tenants')
    .select(({ fn }) => ['placement', fn.countAll<number>().as('tenants')])
    .where('status', '!=', 'closed')
    .groupBy('placement')
    .execute();
  const load = new Map(rows.map((row) => [row.placement, row.tenants]));
  const [least] = [...servers].sort((left, right) => (load.get(left) ?? 0) - (load.get(right) ?? 0));
  if (least === undefined) throw new Error('TENANT_DATABASE_URLS names no server: add one.');
  return least;
}
