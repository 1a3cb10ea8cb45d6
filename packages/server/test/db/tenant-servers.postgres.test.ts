import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { withClient } from '../support/clients.ts';
import { createSite, startApp, stopApp, type TestApp } from '../support/harness.ts';

// The private server under two names counts as two; the third is always down, and so has the fewest tenants.
const serverUrl = new URL(inject('postgresUrl'));
const serverAt = (host: string) => Object.assign(new URL(serverUrl), { host }).href;
const [one, two, down] = [`127.0.0.1:${serverUrl.port}`, `localhost:${serverUrl.port}`, '127.0.0.1:1'];

let app: TestApp;
let admin: Account;
let tenants: TestTenant[] = [];

beforeAll(async () => {
  const servers = [down, one, two].map(serverAt).join(',');
  app = await startApp(await createSite(), { TENANT_DATABASE_URLS: servers });
  admin = await createAdmin(app);
  // One after the other, so that each is placed by the ones before.
  for (const name of ['Acme', 'Umbrella', 'Globex', 'Initech'])
    tenants = [...tenants, await createTenant(app, admin, name)];
});

afterAll(async () => {
  await stopApp(app);
  await app.site.remove();
});

async function placements() {
  const rows = await app.services.platform.query
    .selectFrom('tenants')
    .select(['id', 'placement', 'database_name', 'database_secret'])
    .orderBy('created_at')
    .execute();
  return rows.map(({ database_name, database_secret, ...row }) => {
    if (database_name === null || database_secret === null) throw new Error('A tenant has no database.');
    return {
      ...row,
      role: database_name,
      sealed: database_secret,
      password: app.services.keyring.open(database_secret),
    };
  });
}

type Placed = Awaited<ReturnType<typeof placements>>[number];

/** What the role of a tenant is told when it connects to a database: `connected`, or the error. */
async function connectAs({ role, password }: Placed, database: string): Promise<string> {
  const url = new URL(serverUrl);
  url.username = role;
  url.password = password;
  url.pathname = `/${database}`;
  return withClient(url.href, () => Promise.resolve('connected')).catch((error: unknown) => String(error));
}

const platformName = () => new URL(app.config.databaseUrl ?? '').pathname.slice(1);

describe('several servers', () => {
  test('share the tenants evenly, and one that is down stops nobody from making a tenant', async () => {
    const placed = (await placements()).map(({ placement }) => placement);
    expect(placed.toSorted()).toEqual([one, one, two, two]);
    for (const tenant of tenants) expect((await tenant.asOwner('GET', '/products')).status).toBe(200);
  });

  test('that refuse to make a database are passed over', async () => {
    const role = `limited_${newId().replaceAll('-', '')}`;
    const onServer = (statement: string) => withClient(serverUrl.href, (client) => client.query(statement));
    await onServer(`create role ${role} login password '${role}'`);
    // The same server under a third name, by a role that may connect, and may make nothing.
    const limited = Object.assign(new URL(serverUrl), {
      host: `127.1:${serverUrl.port}`,
      username: role,
      password: role,
    });
    const node = await startApp(app.site, { TENANT_DATABASE_URLS: [limited.href, serverAt(one)].join(',') });
    const made = [await createTenant(node, admin, 'Hooli'), await createTenant(node, admin, 'Vandelay')];
    await stopApp(node);
    await onServer(`drop role ${role}`);
    const places = new Map((await placements()).map(({ id, placement }) => [id, placement]));
    expect(made.map(({ id }) => places.get(id))).toEqual([one, one]);
  });

  test('each have connections of their own, which the metrics tell', async () => {
    const { text } = await app.request({ method: 'GET', url: '/metrics' });
    for (const server of [one, two]) {
      expect(text).toMatch(new RegExp(`^tenant_connections_open\\{server="${server}"\\} [1-9]`, 'm'));
      expect(text).toContain(`tenant_connections_waiting{server="${server}"} 0`);
    }
  });
});

describe("a tenant's role", () => {
  test('connects to its own database, and neither to that of another tenant nor to the platform', async () => {
    const [own, other] = await placements();
    if (own === undefined || other === undefined) throw new Error('There are too few tenants.');
    expect(await connectAs(own, own.role)).toBe('connected');
    expect(await connectAs(own, other.role)).toContain('permission denied for database');
    expect(await connectAs(own, platformName())).toContain('permission denied for database');
  });

  test('may make neither databases nor roles, and is a member of nothing', async () => {
    const roles = (await placements()).map(({ role }) => role);
    const rights = await withClient(serverUrl.href, async (client) => {
      const { rows } = await client.query(
        `select distinct rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
           exists (select from pg_auth_members where member = r.oid) as is_member
         from pg_roles r where rolname = any($1)`,
        [roles],
      );
      return rows;
    });
    const none = {
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
    };
    expect(rights).toEqual([{ ...none, is_member: false }]);
  });

  test('has a password that stands nowhere but sealed, and that no statement was told', async () => {
    const placed = await placements();
    for (const { password, sealed } of placed) {
      expect(sealed).not.toContain(password);
      // Searched for in every log, error and database when the suite ends.
      app.secrets.note(password);
    }
    const kept = await withClient(serverUrl.href, async (client) => {
      const roles = placed.map(({ role }) => role);
      return (await client.query('select rolpassword from pg_authid where rolname = any($1)', [roles])).rows;
    });
    // One round: made by us. The server itself, told a password, would take 4,096, or MD5 as this one is set.
    for (const { rolpassword } of kept) expect(rolpassword).toMatch(/^SCRAM-SHA-256\$1:/);
  });

  test('is kept out of what PostgreSQL opens to everybody once an operator closes that', async () => {
    const [own] = await placements();
    if (own === undefined) throw new Error('There is no tenant.');
    expect(await connectAs(own, 'template1')).toBe('connected');
    const change = (statement: string) => withClient(serverUrl.href, (client) => client.query(statement));
    await change('revoke connect on database template1 from public');
    try {
      expect(await connectAs(own, 'template1')).toContain('permission denied for database');
    } finally {
      await change('grant connect on database template1 to public');
    }
  });
});
