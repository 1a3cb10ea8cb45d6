import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { quoted, type Snapshot } from '../../../src/db/archive/tables.ts';
import type { Engine } from '../../../src/db/database.ts';
import { readPlatformSnapshot } from '../../../src/db/platform.ts';
import { exportTenantArchive, importTenantArchive } from '../../../src/features/accounts/tenants/archive-service.ts';
import { newId } from '../../../src/lib/ids.ts';
import { silentProgress } from '../../../src/tenancy/archive/progress.ts';
import { openTenantDatabases } from '../../../src/tenancy/open-tenant-databases.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { findTenantRecord } from '../../../src/tenancy/tenant-record.ts';
import type { TestTenant } from '../../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp } from '../../support/harness.ts';

/** Starts a second service with its own data for a whole suite file. */
export function useOtherApp(on: Engine, env: NodeJS.ProcessEnv = {}): { readonly app: TestApp } {
  const suite: { app?: TestApp } = {};
  beforeAll(async () => {
    suite.app = await startApp(await createSite(on), env);
  });
  afterAll(async () => {
    if (suite.app === undefined) return;
    await stopApp(suite.app);
    await suite.app.site.remove();
  });
  return suite as { readonly app: TestApp };
}

/** Creates a folder for archives for a whole suite file. */
export function useFolder(): { file(): string; readonly path: string } {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'licensing-archive-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    get path() {
      return folder;
    },
    file: () => join(folder, `${newId()}.ndjson.gz`),
  };
}

/** Exports a tenant while its service runs, like the command line. */
export function exportFrom({ services }: TestApp, tenantId: string, file: string) {
  return exportTenantArchive(services, tenantId, file, silentProgress);
}

/** Imports an archive while a service runs, like the command line. */
export function importInto({ services }: TestApp, file: string, replace = false): Promise<string> {
  return importTenantArchive(services, systemActor, file, { replace, progress: silentProgress });
}

type Rows = Readonly<Record<string, readonly string[]>>;

/** Returns every row of every table as text, with integers exactly as in the database. */
async function rowsOf(snapshot: Snapshot): Promise<Rows> {
  const rows: Record<string, string[]> = {};
  for (const { name, columns } of snapshot.tables) {
    const names = columns.map((column) => column.name).sort();
    rows[name] = [];
    for await (const batch of snapshot.rows({ from: quoted(name), columns: names.map(quoted) })) {
      rows[name].push(...batch.map((row) => JSON.stringify(JSON.parse(row, exactly as never))));
    }
    rows[name].sort();
  }
  return rows;
}

const exactly = (_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === 'number' ? `number ${source}` : value;

/** Returns all rows of a tenant's database. */
export async function tenantRows({ config, services }: TestApp, tenantId: string): Promise<Rows> {
  const record = await findTenantRecord(services.platform, tenantId);
  if (record === undefined) throw new Error(`There is no tenant ${tenantId}.`);
  const snapshot = await openTenantDatabases(config, services).readSnapshot(record);
  try {
    return await rowsOf(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** Returns all rows of a platform database. */
export async function platformRows({ config }: TestApp): Promise<Rows> {
  const snapshot = await readPlatformSnapshot(config);
  try {
    return await rowsOf(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** Returns a tenant whose Integration requests go to another service. */
export function tenantAt(app: TestApp, tenant: TestTenant): Pick<TestTenant, 'asApplication' | 'id'> {
  return {
    id: tenant.id,
    asApplication: (path, payload) =>
      app.request({
        method: 'POST',
        url: `/api/v1/integration${path}`,
        headers: { 'x-api-key': tenant.apiKey },
        ...(payload && { payload }),
      }),
  };
}
