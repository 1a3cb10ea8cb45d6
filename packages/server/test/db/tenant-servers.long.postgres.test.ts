import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { withClient } from '../support/clients.ts';
import { createSite, startApp, stopApp, type TestApp } from '../support/harness.ts';

// One private server under two names counts as two servers. The third is always down, and so has the fewest tenants.
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
  // One after the other, because the placement of each depends on the earlier ones.
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

/** Connects to a database as a tenant's role. Returns `connected` or the error as text. */
async function connectAs({ role, password }: Placed, database: string): Promise<string> {
  const url = new URL(serverUrl);
  url.username = role;
  url.password = password;
  url.pathname = `/${database}`;
  return withClient(url.href, () => Promise.resolve('connected')).catch((error: unknown) => String(error));
}

const platformName = () => new URL(app.config.databaseUrl ?? '').pathname.slice(1);

describe('several servers', () => {
  test('tenants are distributed evenly over the servers that are up', async () => {
    const placed = (await placements()).map(({ placement }) => placement);
    expect(placed.toSorted()).toEqual([one, one, two, two]);
    for (const tenant of tenants) expect((await tenant.asOwner('GET', '/products')).status).toBe(200);
  });

  test('a server that refuses to create a database is skipped', async () => {
    const role = `limited_${newId().replaceAll('-', '')}`;
    const onServer = (statement: string) => withClient(serverUrl.href, (client) => client.query(statement));
    await onServer(`create role ${role} login password '${role}'`);
    // The same server under a third name, with a role that may connect but may not create anything.
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

  test('the metrics report the connections of each server', async () => {
    // Connections are closed after some seconds without use.
    await eventually(async () => {
      for (const tenant of tenants) expect((await tenant.asOwner('GET', '/products')).status).toBe(200);
      const { text } = await app.request({ method: 'GET', url: '/metrics' });
      for (const server of [one, two]) {
        expect(text).toMatch(new RegExp(`^tenant_connections_open\\{server="${server}"\\} [1-9]`, 'm'));
        expect(text).toContain(`tenant_connections_waiting{server="${server}"} 0`);
      }
    });
  });
});

describe("a tenant's role", () => {
  test("a tenant's role can connect to its own database only, not to another tenant's or the platform's", async () => {
    const [own, other] = await placements();
    if (own === undefined || other === undefined) throw new Error('There are too few tenants.');
    expect(await connectAs(own, own.role)).toBe('connected');
    expect(await connectAs(own, other.role)).toContain('permission denied for database');
    expect(await connectAs(own, platformName())).toContain('permission denied for database');
  });

  test("a tenant's role may create neither databases nor roles, and is a member of no role", async () => {
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

  test("the password of a tenant's role is stored only encrypted and is sent in no statement", async () => {
    const placed = await placements();
    for (const { password, sealed } of placed) {
      expect(sealed).not.toContain(password);
      // When the suite ends, every log, error and database is searched for it.
      app.secrets.note(password);
    }
    const kept = await withClient(serverUrl.href, async (client) => {
      const roles = placed.map(({ role }) => role);
      return (await client.query('select rolpassword from pg_authid where rolname = any($1)', [roles])).rows;
    });
    // One iteration: this service computed the verifier. The server would use 4,096 iterations, or MD5 as configured
    // here.
    for (const { rolpassword } of kept) expect(rolpassword).toMatch(/^SCRAM-SHA-256\$1:/);
  });

  test("a tenant's role cannot connect to template1 after an operator revokes that right from PUBLIC", async () => {
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
