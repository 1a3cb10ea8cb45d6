import pg from 'pg';
import { fromPostgresError } from '../errors.ts';
import { clientConfig, describeServer, statementLimits } from './client.ts';
import { type ConnectionBudget, createConnectionBudget } from './connection-budget.ts';
import { scramVerifier } from './scram.ts';
import { ServerConnection } from './server-connection.ts';

/** A tenant's database and the role of the same name that owns it. */
export interface TenantDatabaseLogin {
  /** Lower-case letters, digits and `_`, at most 63: what PostgreSQL takes without folding or cutting. */
  readonly databaseName: string;
  /** Random, of ASCII characters. */
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

// Copying the template takes as long as the server's disk does.
const administrationLimits = { ...statementLimits, statement_timeout: 120_000 };

/** Runs `work` on a connection of its own, which is closed afterwards. */
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

/** Sets what holds for the role's sessions however they are opened: a pooler opens them without our limits. */
function roleLimits(role: string): string {
  return Object.entries(statementLimits)
    .map(([name, limitMs]) => `ALTER ROLE ${role} SET ${name} = ${limitMs}`)
    .join('; ');
}

/** Sends a CREATE and tells whether it made something: false when that was there already. */
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
 * Creates a tenant's role and the database it owns, in which no other role may connect. Repeated, it completes
 * what is missing and sets the password again, so that an interrupted provisioning can go on. When it fails it
 * removes what it made. The role of `serverUrl` needs CREATEDB and CREATEROLE.
 */
export async function createTenantDatabase(
  serverUrl: string,
  login: TenantDatabaseLogin,
  budget?: ConnectionBudget,
): Promise<void> {
  const name = quotedName(login.databaseName);
  const password = pg.escapeLiteral(scramVerifier(login.password));
  const work = async (client: pg.Client) => {
    const madeRole = await createUnlessPresent(
      client,
      `CREATE ROLE ${name} LOGIN PASSWORD ${password}`,
      duplicateObject,
    );
    let madeDatabase = false;
    try {
      await client.query(`ALTER ROLE ${name} LOGIN PASSWORD ${password}; ${roleLimits(name)}`);
      // Without membership a role that is no superuser may not make another one the owner.
      await client.query(`GRANT ${name} TO CURRENT_USER`);
      // The locale C sorts text by bytes, as SQLite does.
      const create = `CREATE DATABASE ${name} OWNER ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`;
      madeDatabase = await createUnlessPresent(client, create, duplicateDatabase);
      await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
    } catch (error) {
      if (madeDatabase) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => undefined);
      if (madeRole) await client.query(`DROP ROLE IF EXISTS ${name}`).catch(() => undefined);
      throw error;
    }
  };
  await withServer(serverUrl, work, budget);
}

/** Rejects with a `DatabaseUnavailableError` when a server takes no connection. */
export async function probeServer(serverUrl: string, budget: ConnectionBudget): Promise<void> {
  await withServer(serverUrl, () => Promise.resolve(), budget);
}

/** True while a statement or a transaction runs in a tenant's database, of whichever process. */
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

/** Removes a tenant's database, ending its connections, and its role. Does nothing where they are absent. */
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
