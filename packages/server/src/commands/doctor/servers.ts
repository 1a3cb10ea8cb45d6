import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import type { PlatformDb } from '../../db/database.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { toEpochMs } from '../../lib/clock.ts';
import { countTenantsByPlace, type LiveNode, listLiveNodes, nodesWithout } from '../../tenancy/nodes.ts';
import { serverName } from '../../tenancy/postgres-tenant-databases.ts';
import { sentenceOf } from '../failure.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const oldestVersion = 14;
const toleratedSkewMs = 2_000;

interface ServerFacts {
  readonly version_number: number;
  readonly version: string;
  readonly role: string;
  readonly may_create_databases: boolean;
  readonly may_create_roles: boolean;
  readonly now_ms: number;
  /** Databases that every role can connect to. */
  readonly open_databases: readonly string[];
}

/**
 * Checks every configured PostgreSQL server: reachability, version, the privileges of the role, and the clock. Returns
 * false if the platform database cannot be used.
 */
export async function* checkServers(config: Config): AsyncGenerator<Finding, boolean> {
  const tenantServers = config.tenantDatabaseUrls.map((url) => ({ url, holdsTenants: true }));
  const platform = config.databaseUrl;
  const isTenantServer = config.tenantDatabaseUrls.some((url) => url === platform);
  const servers = platform === null || isTenantServer ? [] : [{ url: platform, holdsTenants: false }];
  let isPlatformUsable = true;
  for (const { url, holdsTenants } of [...servers, ...tenantServers]) {
    const isUsable = yield* checkServer(url, holdsTenants);
    if (url === platform) isPlatformUsable = isUsable;
  }
  return isPlatformUsable;
}

async function* checkServer(url: string, holdsTenants: boolean): AsyncGenerator<Finding, boolean> {
  const name = serverName(url);
  const askedAtMs = Date.now();
  const facts = await readFacts(url).catch((error: unknown) => error);
  if (!isFacts(facts)) {
    yield problem(sentenceOf(facts));
    return false;
  }
  yield checkVersion(name, facts);
  if (holdsTenants) yield* [checkRights(name, facts), checkOpenDatabases(name, facts)];
  // The server read its clock between our two readings.
  yield checkSkew(name, facts.now_ms, askedAtMs, Date.now());
  return true;
}

function isFacts(value: unknown): value is ServerFacts {
  return typeof value === 'object' && value !== null && 'version_number' in value;
}

async function readFacts(url: string): Promise<ServerFacts | undefined> {
  const server = openPostgres<Record<string, never>>({ url });
  try {
    const { rows } = await sql<ServerFacts>`
      select current_setting('server_version_num')::int as version_number,
        current_setting('server_version') as version,
        rolname as role,
        rolsuper or rolcreatedb as may_create_databases,
        rolsuper or rolcreaterole as may_create_roles,
        array(
          select datname::text from pg_database
          where datallowconn and has_database_privilege('public', oid, 'connect') order by datname
        ) as open_databases,
        extract(epoch from clock_timestamp())::float8 * 1000 as now_ms
      from pg_roles where rolname = current_user`.execute(server.query);
    return rows[0];
  } finally {
    await server.close();
  }
}

function checkVersion(name: string, { version, version_number }: ServerFacts): Finding {
  if (version_number >= oldestVersion * 10_000) return ok(`PostgreSQL ${version} responds on ${name}`);
  return problem(`PostgreSQL ${version} on ${name} is too old.`, `Upgrade it to ${oldestVersion} or later.`);
}

function checkRights(name: string, facts: ServerFacts): Finding {
  const missing = [
    ...(facts.may_create_databases ? [] : ['CREATEDB']),
    ...(facts.may_create_roles ? [] : ['CREATEROLE']),
  ];
  if (missing.length === 0) return ok(`The role ${facts.role} on ${name} can create databases and roles`);
  const statement = `ALTER ROLE "${facts.role}" ${missing.join(' ')}`;
  return problem(`The role ${facts.role} on ${name} lacks ${missing.join(' and ')}.`, `As a superuser: ${statement};`);
}

function checkOpenDatabases(name: string, { open_databases }: ServerFacts): Finding {
  if (open_databases.length === 0) return ok(`The roles of tenants cannot connect to other databases on ${name}`);
  const names = open_databases.map((database) => `"${database}"`).join(', ');
  const text = `Every role on ${name}, including the roles of tenants, can connect to ${names}.`;
  return warning(text, `As a superuser: REVOKE CONNECT ON DATABASE ${names} FROM PUBLIC;`);
}

function checkSkew(name: string, serverMs: number, askedAtMs: number, answeredAtMs: number): Finding {
  const skewMs = Math.max(askedAtMs - serverMs, serverMs - answeredAtMs, 0);
  if (skewMs <= toleratedSkewMs) return ok(`The clock of ${name} agrees with this machine's`);
  const text = `The clock of ${name} differs from this machine's by ${(skewMs / 1000).toFixed(1)} s.`;
  return warning(text, 'Synchronise both with NTP: expiry and the order of records depend on them.');
}

/** A node cannot have announced itself in the future, unless its clock is ahead of this machine's. */
function* checkNodeClock({ name, announcedAt }: LiveNode, now: string): Generator<Finding> {
  const aheadMs = toEpochMs(announcedAt) - toEpochMs(now);
  if (aheadMs <= toleratedSkewMs) return;
  yield problem(
    `The clock of ${name} is at least ${(aheadMs / 1000).toFixed(0)} s ahead of this machine's.`,
    'Synchronise both with NTP: licenses end early on that node, and it takes the work of nodes that run.',
  );
}

/**
 * Reports the running nodes, a node whose clock is ahead, and each server with tenants that is missing in the configuration of a node or of this
 * command.
 */
export async function* checkNodes(
  platform: PlatformDb,
  places: readonly string[],
  now: string,
): AsyncGenerator<Finding> {
  const nodes = await listLiveNodes(platform, now);
  const names = nodes.map(({ name }) => name).join(', ');
  yield ok(nodes.length === 0 ? 'No node has announced itself' : `Running nodes: ${names}`);
  for (const node of nodes) yield* checkNodeClock(node, now);
  const here = { name: 'This configuration', places: new Set(places) };
  for (const [place, tenants] of await countTenantsByPlace(platform)) {
    for (const { name } of nodesWithout(place, [here, ...nodes])) {
      yield problem(
        `${name} does not have the server ${place}, which holds ${tenants} tenants.`,
        'Add it to TENANT_DATABASE_URLS there, and restart the node.',
      );
    }
  }
}
