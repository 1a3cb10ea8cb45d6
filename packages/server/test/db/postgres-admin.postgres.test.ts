import { sql } from 'kysely';
import { describe, expect, inject, test } from 'vitest';
import { isUnavailable } from '../../src/db/errors.ts';
import { createTenantDatabase, dropTenantDatabase } from '../../src/db/postgres/admin.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { newId } from '../../src/lib/ids.ts';

const newLogin = () => ({ databaseName: `admin_${newId().replaceAll('-', '')}`, password: `it's "${newId()}"` });

/** Connects to a database. Resolves with the name of the current database, or with the error. */
async function connectTo(login: { databaseName: string; password: string }, database: string): Promise<unknown> {
  const { hostname, port } = new URL(inject('postgresUrl'));
  const db = openPostgres<object>({
    host: hostname,
    port: Number(port),
    user: login.databaseName,
    password: login.password,
    database,
  });
  try {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db.query);
    return rows[0]?.name;
  } catch (error) {
    return error;
  } finally {
    await db.close();
  }
}

describe('the database of a tenant', () => {
  test("only its own role can connect to a tenant's database, before the database is dropped", async () => {
    const serverUrl = inject('postgresUrl');
    const [mine, other] = [newLogin(), newLogin()];
    await createTenantDatabase(serverUrl, mine);
    await createTenantDatabase(serverUrl, { ...mine, password: 'an older one' });
    await createTenantDatabase(serverUrl, mine);
    await createTenantDatabase(serverUrl, other);
    expect(await connectTo(mine, mine.databaseName)).toBe(mine.databaseName);
    expect(String(await connectTo(other, mine.databaseName))).toContain('does not admit the role of its URL');
    await dropTenantDatabase(serverUrl, mine.databaseName);
    await dropTenantDatabase(serverUrl, mine.databaseName);
    await dropTenantDatabase(serverUrl, other.databaseName);
    expect(isUnavailable(await connectTo(mine, mine.databaseName))).toBe(true);
  });

  test("a role that is not a superuser can create and drop a tenant's database", async () => {
    const serverUrl = new URL(inject('postgresUrl'));
    const [manager, tenant] = [{ ...newLogin(), password: 'manager' }, newLogin()];
    await createTenantDatabase(serverUrl.href, manager);
    const db = openPostgres<object>({ url: serverUrl.href });
    try {
      await sql`alter role ${sql.id(manager.databaseName)} createdb createrole`.execute(db.query);
      const managerUrl = new URL(serverUrl);
      managerUrl.username = manager.databaseName;
      managerUrl.password = manager.password;
      managerUrl.pathname = `/${manager.databaseName}`;
      await createTenantDatabase(managerUrl.href, tenant);
      await createTenantDatabase(managerUrl.href, tenant);
      expect(await connectTo(tenant, tenant.databaseName)).toBe(tenant.databaseName);
      await dropTenantDatabase(managerUrl.href, tenant.databaseName);
      expect(isUnavailable(await connectTo(tenant, tenant.databaseName))).toBe(true);
    } finally {
      await db.close();
      await dropTenantDatabase(serverUrl.href, manager.databaseName);
    }
  });

  test.each(['Mixed', 'a"b', 'a-b', '', 'x'.repeat(64)])(
    "the name %j is refused for a tenant's database",
    async (databaseName) => {
      await expect(createTenantDatabase(inject('postgresUrl'), { databaseName, password: 'x' })).rejects.toThrow(
        'cannot name',
      );
    },
  );
});
