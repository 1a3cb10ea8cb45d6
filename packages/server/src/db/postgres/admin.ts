import pg from 'pg';
import { fromPostgresError } from '../errors.ts';
import { clientConfig, describeServer, scramVerifier, statementLimits } from './client.ts';
import { type ConnectionBudget, createConnectionBudget } from './connection-budget.ts';
import { ServerConnection } from './server-connection.ts';

/** The name of a tenant's database, which is also the name of the role that owns it, and that role's password. */
export interface TenantDatabaseLogin {
  /** At most 63 lower-case letters, digits and `_`: PostgreSQL neither folds nor truncates such names. */
  readonly databaseName: string;
  /** A random password of ASCII characters. */
  readonly password: string;
}

const namePattern = /^[a-z_][a-z0-9_]{0,62}$/;
const duplicateObject = '42710';
const duplicateDatabase = '42P04';

function quotedName(name: string): string {
  if (!namePattern.test(name)) {
    throw new Error(`"${name}" cannot name a tenant's database: use up to 63 lower-case letters, digits and _.`);
  }
  return pg.escapeIdentifier(name);
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
}

// Copying the template database may take long on a slow disk.
const administrationLimits = { ...statementLimits, statement_timeout: 120_000 };

/** Runs `work` on a new connection, which is closed afterwards. */
async function withServer<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
  shared?: ConnectionBudget,
): Promise<Result> {
  const options = { url };
  const server = describeServer(options);
  const source = { options, server, budget: shared ?? createConnectionBudget({ server, limit: 2 }) };
  const connection = await ServerConnection.open(source, 'requests', clientConfig(options, administrationLimits));
  connection.begin();
  try {
    return await work(connection.client);
  } catch (error) {
    throw fromPostgresError(error, server);
  } finally {
    connection.vacate();
    connection.end();
    await connection.closed;
  }
}

/** Returns SQL that sets the timeouts for all sessions of a role, because a pooler opens sessions without them. */
function roleLimits(role: string): string {
  return Object.entries(statementLimits)
    .map(([name, limitMs]) => `ALTER ROLE ${role} SET ${name} = ${limitMs}`)
    .join('; ');
}

/** Sends a CREATE. Returns true if it created the object, false if the object existed. */
async function createUnlessPresent(client: pg.Client, statement: string, duplicateCode: string): Promise<boolean> {
  try {
    await client.query(statement);
    return true;
  } catch (error) {
    if (codeOf(error) === duplicateCode) return false;
    throw error;
  }
}

/**
 * Creates a tenant's role and the database that it owns, to which no other role may connect. A repeated call creates
 * missing parts and sets the password again, so that an interrupted provisioning can continue. On failure it removes
 * what it created. The role of `serverUrl` needs CREATEDB and CREATEROLE.
 */
export async function createTenantDatabase(
  serverUrl: string,
  login: TenantDatabaseLogin,
  budget?: ConnectionBudget,
): Promise<void> {
  const name = quotedName(login.databaseName);
  const password = pg.escapeLiteral(scramVerifier(login.password));
  const work = async (client: pg.Client) => {
    const createdRole = await createUnlessPresent(
      client,
      `CREATE ROLE ${name} LOGIN PASSWORD ${password}`,
      duplicateObject,
    );
    let createdDatabase = false;
    try {
      await client.query(`ALTER ROLE ${name} LOGIN PASSWORD ${password}; ${roleLimits(name)}`);
      // A role that is not a superuser must be a member of a role to make it an owner.
      await client.query(`GRANT ${name} TO CURRENT_USER`);
      // The locale C sorts text by bytes, as SQLite does.
      const create = `CREATE DATABASE ${name} OWNER ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`;
      createdDatabase = await createUnlessPresent(client, create, duplicateDatabase);
      await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
    } catch (error) {
      if (createdDatabase) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => undefined);
      if (createdRole) await client.query(`DROP ROLE IF EXISTS ${name}`).catch(() => undefined);
      throw error;
    }
  };
  await withServer(serverUrl, work, budget);
}

/** Connects to a server and disconnects. Rejects with a `DatabaseUnavailableError` if that fails. */
export async function probeServer(serverUrl: string, budget: ConnectionBudget): Promise<void> {
  await withServer(serverUrl, () => Promise.resolve(), budget);
}

/** Like `probeServer`, and rejects as well if the server cannot write: its disk is full, or it is read-only. */
export async function probeWrites(serverUrl: string): Promise<void> {
  const sql = "BEGIN; CREATE TEMPORARY TABLE probe ON COMMIT DROP AS SELECT repeat('x', 1000) AS text; ROLLBACK";
  await withServer(serverUrl, (client) => client.query(sql));
}

/** True while any process runs a statement or a transaction in a tenant's database. */
export async function hasBusySessions(
  serverUrl: string,
  databaseName: string,
  shared?: ConnectionBudget,
): Promise<boolean> {
  const busySql =
    "select from pg_stat_activity where datname = $1 and state <> 'idle' and backend_type = 'client backend' limit 1";
  const isBusy = async (client: pg.Client) => (await client.query(busySql, [databaseName])).rowCount !== 0;
  return await withServer(serverUrl, isBusy, shared);
}

/** Returns the size of a database in bytes, on a short connection to its server instead of to the database. */
export async function databaseSize(
  serverUrl: string,
  databaseName: string,
  shared?: ConnectionBudget,
): Promise<number> {
  const size = async (client: pg.Client) => {
    const { rows } = await client.query<{ size: string }>('select pg_database_size($1) as size', [databaseName]);
    return Number(rows[0]?.size);
  };
  return await withServer(serverUrl, size, shared);
}

/** Drops a tenant's database, closing its connections, and its role. Does nothing if they do not exist. */
export async function dropTenantDatabase(
  serverUrl: string,
  databaseName: string,
  budget?: ConnectionBudget,
): Promise<void> {
  const name = quotedName(databaseName);
  const work = async (client: pg.Client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`DROP ROLE IF EXISTS ${name}`);
  };
  await withServer(serverUrl, work, budget);
}
