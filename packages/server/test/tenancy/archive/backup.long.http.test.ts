import { copyFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import type { Engine } from '../../../src/db/database.ts';
import { purgeTenant, withTenantSnapshots } from '../../../src/features/accounts/tenants/archive-service.ts';
import { updateTenant } from '../../../src/features/accounts/tenants/service.ts';
import { createFirstSigningKey } from '../../../src/features/licensing/signing-keys/service.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { newId } from '../../../src/lib/ids.ts';
import { createKeyring } from '../../../src/lib/keyring.ts';
import { backUp } from '../../../src/tenancy/archive/backup.ts';
import { silentProgress } from '../../../src/tenancy/archive/progress.ts';
import { requireAppKey, restore } from '../../../src/tenancy/archive/restore.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { createTenant, logIn, type TestTenant, useTenant } from '../../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp } from '../../support/harness.ts';
import { createLicensingData, type LicensingData } from '../../support/licensing-data.ts';
import { platformRows, tenantAt, tenantRows, useFolder } from './sites.ts';

const suite = useTenant();
const folders = useFolder();
let other: TestTenant;
let data: LicensingData;
let folder: string;

const freshFolder = () => join(folders.path, newId());

function backUpInto(target: string) {
  const { services } = suite.app;
  const dependencies = { ...services, progress: silentProgress };
  return backUp(target, {
    ...dependencies,
    withTenantSnapshots: (id, work) => withTenantSnapshots(services, id, work),
  });
}

/** Creates an empty site, which is removed after the test. */
async function emptySite(on: Engine, env: NodeJS.ProcessEnv = {}) {
  const site = await createSite(on);
  onTestFinished(() => site.remove());
  return { ...site, env: { ...site.env, ...env } };
}

async function restoreInto(source: string, site: Awaited<ReturnType<typeof emptySite>>) {
  const config = loadConfig(site.env);
  const keyring = createKeyring(requireAppKey(config), config.previousAppKeys);
  const clock = systemClock();
  const warn = () => undefined;
  const seedTenant = createFirstSigningKey({ clock, keyring });
  return await restore(source, { config, keyring, clock, seedTenant, progress: silentProgress, warn });
}

async function startOn(site: Awaited<ReturnType<typeof emptySite>>): Promise<TestApp> {
  const app = await startApp(site);
  onTestFinished(() => stopApp(app));
  return app;
}

beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
  other = await createTenant(suite.app, suite.admin, 'Other');
  const { deviceHistory, validationTimes, apiKeyUsage, activity } = suite.app.services;
  await Promise.all([deviceHistory.flush(), validationTimes.flush(), apiKeyUsage.flush(), activity.flush()]);
  folder = freshFolder();
  await backUpInto(folder);
});

test('a backup consists of files that only their owner can read, without the application key', async () => {
  const files = (await readdir(folder, { recursive: true })).sort();
  const archives = [suite.tenant.id, other.id].sort().map((id) => join('tenants', `${id}.ndjson.gz`));
  expect(files).toEqual(['manifest.json', 'platform.ndjson.gz', 'tenants', ...archives]);
  for (const file of files) {
    const { mode } = await stat(join(folder, file));
    expect(mode & 0o077).toBe(0);
  }
  const manifest = await readFile(join(folder, 'manifest.json'), 'utf8');
  expect(manifest).not.toContain(String(suite.app.config.appKey));
});

const engines: readonly Engine[] = engine === 'postgres' ? ['postgres', 'sqlite'] : ['sqlite'];

describe.for(engines)('restored on %s', (on) => {
  test(`an installation restored on ${on} has every row of the original and is served`, async () => {
    const site = await emptySite(on);
    await restoreInto(folder, site);
    const restored = await startOn(site);
    const before = await platformRows(suite.app);
    const after = await platformRows(restored);
    const withoutPlacements = ({ tenants = [], ...rest }: typeof before) => ({ ...rest, tenants: tenants.length });
    expect(withoutPlacements(after)).toEqual(withoutPlacements(before));
    for (const { id } of [suite.tenant, other])
      expect(await tenantRows(restored, id)).toEqual(await tenantRows(suite.app, id));
    const verdict = await tenantAt(restored, suite.tenant).asApplication(`/licenses/${data.licenseKey}/validate`);
    expect(verdict.body.data).toMatchObject({ valid: true });
    await logIn(restored, suite.admin.email, 'admin');
    await logIn(restored, suite.tenant.owner.email, 'tenant');
  });
});

describe('a rejected restore', () => {
  interface Spoiled {
    readonly what: string;
    readonly says: string | RegExp;
    readonly env?: NodeJS.ProcessEnv;
    readonly spoil?: (copy: string) => Promise<unknown>;
  }
  const tenantFileOf = (copy: string, id: string) => join(copy, 'tenants', `${id}.ndjson.gz`);
  const cases: readonly Spoiled[] = [
    {
      what: 'without the manifest',
      says: 'holds no complete backup',
      spoil: (copy) => rm(join(copy, 'manifest.json')),
    },
    {
      what: 'with another manifest',
      says: 'its signature is wrong',
      spoil: async (copy) => {
        const file = join(copy, 'manifest.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace(other.id, newId()));
      },
    },
    {
      what: 'with a manifest of a later version',
      says: 'was written by a newer version',
      spoil: async (copy) => {
        const file = join(copy, 'manifest.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace('"version": 1', '"version": 2'));
      },
    },
    { what: 'without an archive', says: 'does not exist', spoil: (copy) => rm(tenantFileOf(copy, other.id)) },
    {
      what: "with another tenant's archive in place of one",
      says: 'is not the file that the manifest describes',
      spoil: (copy) => copyFile(tenantFileOf(copy, suite.tenant.id), tenantFileOf(copy, other.id)),
    },
    {
      what: 'with an archive that is cut off',
      says: 'is damaged or cut off',
      spoil: async (copy) => {
        const bytes = await readFile(tenantFileOf(copy, other.id));
        await writeFile(tenantFileOf(copy, other.id), bytes.subarray(0, bytes.length - 20));
      },
    },
    {
      what: 'under another application key',
      says: /under another application key \(fingerprint [0-9a-f]{16}\)/,
      env: { APP_KEY: 'another-application-key-0123456789' },
    },
  ];

  test.for(cases)(
    'a restore $what is rejected and leaves the installation empty',
    async ({ says, env = {}, spoil }) => {
      const copy = freshFolder();
      await cp(folder, copy, { recursive: true });
      await spoil?.(copy);
      const site = await emptySite(engine, env);
      await expect(restoreInto(copy, site)).rejects.toThrow(says);
      const app = await startOn(site);
      expect((await platformRows(app))['tenants']).toEqual([]);
    },
  );

  test('a restore into an installation with a user is rejected', async () => {
    const site = await emptySite(engine);
    const app = await startApp(site);
    await app.services.platform.query
      .insertInto('users')
      .values({
        id: newId(),
        email: 'somebody@example.com',
        name: 'Somebody',
        password_hash: null,
        email_verified_at: null,
        disabled_at: null,
        created_at: 'then',
        updated_at: 'then',
      })
      .execute();
    await stopApp(app);
    await expect(restoreInto(folder, site)).rejects.toThrow('only into an empty installation, and this one has users');
  });
});

test('a backup of a previous application key can be restored once that key is in APP_PREVIOUS_KEYS', async () => {
  const env = { APP_KEY: 'another-application-key-0123456789', APP_PREVIOUS_KEYS: String(suite.app.config.appKey) };
  const site = await emptySite(engine, env);
  await restoreInto(folder, site);
  const restored = await startOn(site);
  const certified = await tenantAt(restored, suite.tenant).asApplication(`/licenses/${data.licenseKey}/certificate`);
  expect(certified.status).toBe(200);
});

test('an unfinished onboarding restarts before the step that creates the database after a restore', async () => {
  const { clock, platform } = suite.app.services;
  const at = clock.now();
  const placement = { id: newId(), placement: 'embedded', database_name: null, database_secret: null };
  const terms = { plan_code: 'free', plan_name: 'Free', interval: null, currency: null, amount: 0, trial_days: 0 };
  const ofProvider = { provider: null, provider_checkout_id: null, checkout_url: null };
  await platform.query
    .insertInto('onboarding_checkouts')
    .values({
      ...terms,
      ...ofProvider,
      provider_customer_id: null,
      provider_subscription_id: null,
      id: newId(),
      user_id: suite.tenant.owner.id,
      tenant_name: 'Half',
      status: 'provisioning',
      tenant_id: placement.id,
      placement_json: JSON.stringify(placement),
      error: null,
      expires_at: at,
      steps_json: JSON.stringify({ payment: at, database: at, migrations: at }),
      created_at: at,
      updated_at: at,
    })
    .execute();
  const target = freshFolder();
  await backUpInto(target);
  await platform.query.deleteFrom('onboarding_checkouts').execute();
  const site = await emptySite(engine);
  await restoreInto(target, site);
  const restored = await startOn(site);
  const checkouts = restored.services.platform.query.selectFrom('onboarding_checkouts');
  const row = await checkouts.select(['placement_json', 'steps_json', 'status']).executeTakeFirst();
  expect({ ...row }).toEqual({
    placement_json: null,
    steps_json: JSON.stringify({ payment: at }),
    status: 'provisioning',
  });
});

describe('an interrupted backup', () => {
  test('an interrupted backup resumes in its folder: complete archives stay, partial ones are written again', async () => {
    const target = freshFolder();
    await mkdir(join(target, 'tenants'), { recursive: true });
    const whole = join('tenants', `${suite.tenant.id}.ndjson.gz`);
    const broken = join('tenants', `${other.id}.ndjson.gz`);
    for (const file of ['platform.ndjson.gz', whole]) await copyFile(join(folder, file), join(target, file));
    await writeFile(join(target, `${broken}.1234abcd.partial`), 'half');
    const { mtimeMs } = await stat(join(target, whole));
    await backUpInto(target);
    expect((await stat(join(target, whole))).mtimeMs).toBe(mtimeMs);
    expect((await readdir(join(target, 'tenants'))).sort()).toEqual((await readdir(join(folder, 'tenants'))).sort());
    await restoreInto(target, await emptySite(engine));
  });

  test('a resumed backup fails on a damaged archive and names its file', async () => {
    const target = freshFolder();
    await mkdir(join(target, 'tenants'), { recursive: true });
    await writeFile(join(target, 'tenants', `${other.id}.ndjson.gz`), 'half');
    await expect(backUpInto(target)).rejects.toThrow(`${other.id}.ndjson.gz is not an archive of this service`);
  });

  test('a resumed backup succeeds on the second run when a tenant was purged in between', async () => {
    const gone = await createTenant(suite.app, suite.admin, 'Gone');
    const interrupted = freshFolder();
    await backUpInto(interrupted);
    for (const file of ['manifest.json', join('tenants', `${gone.id}.ndjson.gz`)]) await rm(join(interrupted, file));
    await updateTenant(suite.app.services, systemActor, gone.id, { status: 'closed' });
    await purgeTenant(suite.app.services, systemActor, gone.id, { force: true });
    await expect(backUpInto(interrupted)).rejects.toThrow('was purged during the backup: run the backup again');
    const { tenants } = await backUpInto(interrupted);
    expect(tenants.map(({ id }) => id)).toEqual([suite.tenant.id, other.id].sort());
  });

  test('a backup into a folder with a complete backup or with other files is rejected', async () => {
    await expect(backUpInto(folder)).rejects.toThrow('holds a complete backup already');
    const target = freshFolder();
    await mkdir(target);
    await writeFile(join(target, 'letter.txt'), 'Dear');
    await expect(backUpInto(target)).rejects.toThrow('holds other files (letter.txt)');
  });
});
