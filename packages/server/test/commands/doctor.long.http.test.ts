import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { build, serviceVersion } from '../../src/version.ts';
import { createSite, engine, type TestSite } from '../support/harness.ts';
import { onServer } from '../support/platform-template.ts';
import { licensing, startServe } from './licensing.ts';

interface UsedSite extends TestSite {
  readonly tenantId: string;
  /** The tenant's database file; only on the embedded engine. */
  readonly tenantFile: string;
}

/** Creates a site with one tenant. */
async function usedSite(env: NodeJS.ProcessEnv = {}): Promise<UsedSite> {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const merged = { ...site, env: { ...site.env, ...env } };
  const { code, stdout } = await licensing(['tenants', 'create', '--name', 'Acme'], merged.env);
  expect(code).toBe(0);
  const tenantId = stdout.trim();
  return { ...merged, tenantId, tenantFile: fileOf(site, tenantId) };
}

function fileOf(site: TestSite, tenantId: string): string {
  return join(site.dataDir, 'tenants', tenantId.slice(-2), `${tenantId}.db`);
}

test('"doctor" reports no problem beside a running service, whose log begins with its build, and recognises its port', async () => {
  const site = await usedSite();
  const { address, output } = await startServe([], site.env);
  expect(JSON.parse(output.stdout.split('\n')[0] ?? '')).toMatchObject({
    msg: 'starting',
    version: serviceVersion,
    commit: build.commit,
    committedAt: build.committedAt,
  });
  const { code, stdout } = await licensing(['doctor'], { ...site.env, PORT: new URL(address).port });
  expect(stdout).not.toMatch(/^problem/m);
  expect(stdout).toContain('This service responds on port');
  expect(stdout).toContain('1 of 1 tenant databases open and have the current schema');
  expect(code).toBe(0);
});

test.each([
  [{ SIGN_UP: 'open' }, 'ok       SIGN_UP is open'],
  [{ PUBLIC_URL: 'https://licenses.example.com' }, 'warning  Anyone who reaches https://licenses.example.com can'],
  [{ HOST: '0.0.0.0' }, 'warning  Anyone who reaches http://localhost:'],
  [{ PUBLIC_URL: 'https://licenses.example.com', SIGN_UP: 'invite' }, 'ok       SIGN_UP is invite'],
])('"doctor" with %j says: %s', async (env: NodeJS.ProcessEnv, says) => {
  const site = await usedSite();
  expect((await licensing(['doctor'], { ...site.env, ...env })).stdout).toContain(says);
});

test('"doctor" reports no problem before the first start, and creates nothing', async () => {
  const site = await createSite();
  onTestFinished(async () => {
    // Removing a site reads the tenants from its platform database.
    await licensing(['migrate'], site.env);
    await site.remove();
  });
  await rm(site.dataDir, { recursive: true });
  const { code, stdout } = await licensing(['doctor'], site.env);
  expect(stdout).not.toMatch(/^problem/m);
  expect(code).toBe(0);
  await expect(readdir(site.dataDir)).rejects.toThrow('ENOENT');
});

describe('problems on either engine', () => {
  const cases: readonly { readonly wrong: string; readonly env: NodeJS.ProcessEnv; readonly says: string }[] = [
    { wrong: 'the configuration', env: { PORT: '99999' }, says: 'problem  PORT must be' },
    {
      wrong: 'the application key',
      env: { APP_KEY: 'another-application-key-0123456789' },
      says: 'problem  APP_KEY is not the application key of this data.',
    },
    {
      wrong: 'the database server',
      env: { DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' },
      says: 'problem  The PostgreSQL database none on 127.0.0.1:1',
    },
    {
      wrong: 'Valkey',
      env: { VALKEY_URL: 'redis://:secret-word@127.0.0.1:1' },
      says: 'problem  Valkey on 127.0.0.1:1 cannot be used (connect ECONNREFUSED',
    },
    {
      wrong: 'the provider of single sign-on',
      env: { OIDC_ISSUER: 'http://127.0.0.1:65534', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'secret-word' },
      says: 'problem  The provider of single sign-on http://127.0.0.1:65534 cannot be used (connect ECONNREFUSED',
    },
  ];

  test.for(cases)('"doctor" reports a problem with $wrong', async ({ env, says }) => {
    const site = await usedSite();
    const { code, stdout } = await licensing(['doctor'], { ...site.env, ...env });
    expect(stdout).toContain(says);
    expect(stdout).not.toContain('secret-word');
    expect(code).toBe(1);
  });
});

interface BrokenSite {
  readonly wrong: string;
  readonly code: 0 | 1;
  readonly says: RegExp;
  readonly break: (site: UsedSite) => Promise<unknown>;
  readonly env?: () => NodeJS.ProcessEnv;
}

const unusedId = '01890000-0000-7000-8000-000000000000';
const brokenFiles: readonly BrokenSite[] = [
  {
    wrong: 'a data directory that other users can read',
    code: 0,
    says: /^warning {2}Other users can read .* "chmod 700/m,
    break: (site) => chmod(site.dataDir, 0o755),
  },
  {
    wrong: 'an application key that other users can read',
    code: 1,
    says: /^problem {2}Other users can read the application key .* "chmod 600/m,
    break: (site) => chmod(join(site.dataDir, 'app.key'), 0o644),
  },
  {
    wrong: 'a missing application key',
    code: 1,
    says: /^problem {2}app\.key is missing/m,
    break: (site) => rm(join(site.dataDir, 'app.key')),
  },
  {
    wrong: 'a missing file of a tenant',
    code: 1,
    says: /^problem {2}Tenant .* cannot be opened/m,
    break: (site) => rm(site.tenantFile),
  },
  {
    wrong: 'a damaged file of a tenant',
    code: 1,
    says: /^problem {2}Tenant .* is not a database/m,
    break: (site) => writeFile(site.tenantFile, 'not a database, but long enough to be looked at'.repeat(99)),
  },
  {
    wrong: "a file of another tenant in place of a tenant's",
    code: 1,
    says: /^problem {2}The database of tenant .* belongs to tenant /m,
    async break(site) {
      const { stdout } = await licensing(['tenants', 'create', '--name', 'Other'], site.env);
      await cp(site.tenantFile, fileOf(site, stdout.trim()));
    },
  },
  {
    wrong: 'a file that belongs to no tenant',
    code: 0,
    says: new RegExp(`^warning {2}.*${unusedId}\\.db belongs to no tenant`, 'm'),
    async break(site) {
      const folder = join(site.dataDir, 'tenants', '00');
      await mkdir(folder, { recursive: true });
      await cp(site.tenantFile, join(folder, `${unusedId}.db`));
    },
  },
];

const onTestServer = (statement: string) => onServer(inject('postgresUrl'), [statement]);

function databaseOf(tenantId: string): string {
  return `tenant_${tenantId.replaceAll('-', '')}`;
}

const brokenServers: readonly BrokenSite[] = [
  {
    wrong: 'a role that can create neither databases nor roles',
    code: 1,
    says: /^problem {2}The role weak on .* lacks CREATEDB and CREATEROLE\. .*ALTER ROLE "weak" CREATEDB CREATEROLE;/m,
    async break() {
      await onTestServer("create role weak login password 'weak'");
      onTestFinished(() => onTestServer('drop role weak'));
    },
    env() {
      const url = new URL(inject('postgresUrl'));
      url.username = 'weak';
      url.password = 'weak';
      return { TENANT_DATABASE_URLS: url.href };
    },
  },
  {
    wrong: 'a missing database of a tenant',
    code: 1,
    says: /^problem {2}Tenant .* does not exist/m,
    break: (site) => onTestServer(`drop database ${databaseOf(site.tenantId)} with (force)`),
  },
  {
    wrong: 'a database that belongs to no tenant',
    code: 0,
    says: new RegExp(`^warning {2}The database ${databaseOf(unusedId)} on .* belongs to no tenant`, 'm'),
    async break() {
      await onTestServer(`create database ${databaseOf(unusedId)}`);
      onTestFinished(() => onTestServer(`drop database ${databaseOf(unusedId)}`));
    },
  },
];

describe('problems of one engine', () => {
  test.for(engine === 'sqlite' ? brokenFiles : brokenServers)(
    '"doctor" reports $wrong',
    async ({ code, says, env, break: breakIt }) => {
      // Without APP_KEY, the embedded engine keeps the application key in a file.
      const site = await usedSite(engine === 'sqlite' ? { APP_KEY: '' } : {});
      await breakIt(site);
      const found = await licensing(['doctor'], { ...site.env, ...env?.() });
      expect(found.stdout).toMatch(says);
      expect(found.code).toBe(code);
    },
  );
});
