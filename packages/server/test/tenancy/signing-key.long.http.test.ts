import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import { withTenantSnapshots } from '../../src/features/accounts/tenants/archive-service.ts';
import { createFirstSigningKey } from '../../src/features/licensing/signing-keys/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createKeyring } from '../../src/lib/keyring.ts';
import { backUp } from '../../src/tenancy/archive/backup.ts';
import { silentProgress } from '../../src/tenancy/archive/progress.ts';
import { requireAppKey, restore } from '../../src/tenancy/archive/restore.ts';
import { licensing } from '../commands/licensing.ts';
import { createSignUp, startSignUp } from '../commerce/buyers.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { type Account, createAdmin, createTenant, useAdmin } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { exportFrom, importInto, tenantRows, useFolder } from './archive/sites.ts';

const suite = useAdmin();
const folder = useFolder();

/** Reads a tenant's key set, checks that reading it changes no row of its database, and returns the ids of its keys. */
async function kidsOf(app: TestApp, tenantId: string): Promise<string[]> {
  const before = await tenantRows(app, tenantId);
  const { body } = await app.request({ method: 'GET', url: `/api/v1/tenants/${tenantId}/jwks.json` });
  expect(await tenantRows(app, tenantId)).toEqual(before);
  return body.keys.map(({ kid }: { kid: string }) => kid);
}

describe('a new tenant has one signing key before anybody reads its key set, which changes nothing', () => {
  test('when an admin creates it', async () => {
    const payload = { name: 'Acme' };
    const url = '/api/v1/admin/tenants';
    const created = await suite.app.request({ method: 'POST', url, headers: suite.admin.auth, payload });
    const { id } = created.body.data;
    const [kid, ...more] = await kidsOf(suite.app, id);
    expect([kid, more]).toEqual([expect.any(String), []]);
    const audit = `${url}/${id}/audit-logs?event=SIGNING_KEY.CREATED`;
    const { body } = await suite.app.request({ method: 'GET', url: audit, headers: suite.admin.auth });
    expect(body.data).toMatchObject([{ actor_type: 'system', resource_id: kid }]);
  });

  test('when the command line creates it', async () => {
    const { stdout } = await licensing(['tenants', 'create', '--name', 'Acme'], suite.app.site.env);
    expect(await kidsOf(suite.app, stdout.trim())).toHaveLength(1);
  });

  test('when a user signs up for it', async () => {
    const signUp = await createSignUp(suite.app);
    const { id } = await startSignUp(signUp, 'free');
    await runTenantJobs(suite.app);
    const { tenant_id } = (await signUp.get(`/${id}`)).body.data;
    expect(await kidsOf(suite.app, tenant_id)).toHaveLength(1);
  });
});

describe('a tenant of version 1.0.0 without a signing key', () => {
  let site: TestSite;
  let former: TestApp;
  let operator: Account;

  beforeAll(async () => {
    site = await createSite();
    const { '0001-baseline': baseline, '0003-actor-created-by': actorCreatedBy } = tenantMigrations;
    if (baseline === undefined || actorCreatedBy === undefined) throw new Error('A migration has another name.');
    // The present code that creates the tenant writes this column, which `createFormerTenant` removes afterwards.
    const up: typeof baseline.up = async (db) => {
      await baseline.up(db);
      await actorCreatedBy.up(db);
    };
    former = await startApp(site, {}, { platform: platformMigrations, tenant: { '0001-baseline': { up } } });
    operator = await createAdmin(former);
  });
  afterAll(async () => {
    await stopApp(former);
    await site.remove();
  });

  /** Creates a tenant whose database has the schema of version 1.0.0. */
  async function createFormerTenant(): Promise<string> {
    const { id } = await createTenant(former, operator);
    await former.services.tenants.withTenantDb(id, ({ query }) =>
      query.schema.alterTable('audit_logs').dropColumn('actor_created_by').execute(),
    );
    return id;
  }

  async function createWithoutKey(): Promise<string> {
    const id = await createFormerTenant();
    await former.services.tenants.withTenantDb(id, async ({ query }) => {
      await query.deleteFrom('signing_keys').execute();
      await query.deleteFrom('audit_logs').where('event', '=', 'SIGNING_KEY.CREATED').execute();
    });
    return id;
  }

  async function startPresent(): Promise<TestApp> {
    const app = await startApp(site);
    onTestFinished(() => stopApp(app));
    return app;
  }

  async function auditedKeys(app: TestApp, tenantId: string): Promise<string[]> {
    const { audit_logs = [] } = await tenantRows(app, tenantId);
    return audit_logs.filter((row) => row.includes('SIGNING_KEY.CREATED'));
  }

  test('gets one by `licensing migrate`', async () => {
    const id = await createWithoutKey();
    expect(await licensing(['migrate'], site.env)).toMatchObject({ code: 0 });
    expect((await tenantRows(former, id))['signing_keys']).toHaveLength(1);
    expect(await kidsOf(await startPresent(), id)).toHaveLength(1);
    expect(await licensing(['migrate'], site.env)).toMatchObject({ code: 0 });
    expect(await auditedKeys(former, id)).toHaveLength(1);
  });

  test('gets one, and not two, when several nodes open its database at the same time', async () => {
    const id = await createWithoutKey();
    const nodes = [await startPresent(), await startPresent(), await startPresent()];
    const url = `/api/v1/tenants/${id}/jwks.json`;
    const answers = await Promise.all(nodes.map((node) => node.request({ method: 'GET', url })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await kidsOf(nodes[0] ?? former, id)).toHaveLength(1);
    expect(await auditedKeys(former, id)).toHaveLength(1);
  });

  test('gets one when its archive is imported, and keeps the key of an archive that has one', async () => {
    const id = await createWithoutKey();
    const file = folder.file();
    await exportFrom(former, id, file);
    await importInto(suite.app, file);
    const [kid, ...more] = await kidsOf(suite.app, id);
    expect([kid, more]).toEqual([expect.any(String), []]);
    const withKey = folder.file();
    await exportFrom(suite.app, id, withKey);
    await importInto(suite.app, withKey, true);
    expect(await kidsOf(suite.app, id)).toEqual([kid]);
  });

  test('gets one when a backup is restored, which leaves the keys of other tenants as they are', async () => {
    const without = await createWithoutKey();
    const other = await createFormerTenant();
    const kids = await kidsOf(former, other);
    const { services } = former;
    const path = `${folder.path}/backup`;
    await backUp(path, {
      ...services,
      progress: silentProgress,
      withTenantSnapshots: (id, work) => withTenantSnapshots(services, id, work),
    });
    const restored = await createSite(engine);
    onTestFinished(() => restored.remove());
    const config = loadConfig(restored.env);
    const keyring = createKeyring(requireAppKey(config), config.previousAppKeys);
    const clock = systemClock();
    const warn = () => undefined;
    const seedTenant = createFirstSigningKey({ clock, keyring });
    await restore(path, { config, keyring, clock, seedTenant, progress: silentProgress, warn });
    const app = await startApp(restored);
    try {
      expect(await kidsOf(app, without)).toHaveLength(1);
      expect(await kidsOf(app, other)).toEqual(kids);
    } finally {
      await stopApp(app);
    }
  });
});
