import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { purgeTenant } from '../../src/features/accounts/tenants/archive-service.ts';
import { updateTenant } from '../../src/features/accounts/tenants/service.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { useTenant } from '../support/accounts.ts';

const suite = useTenant();
const planted = 'planted-name-of-an-api-key';

/** Returns the files of the databases, with their logs, that contain the planted text. */
async function filesWithText(): Promise<string[]> {
  const entries = await readdir(suite.app.config.dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const));
  return texts.flatMap(([file, text]) => (text.includes(planted) ? [file] : []));
}

test('after a purge no database file and no log of the running service contains rows of the tenant', async () => {
  const { app, tenant } = suite;
  expect((await tenant.asOwner('POST', '/api-keys', { name: planted })).status).toBe(201);
  expect(await filesWithText()).not.toEqual([]);
  await updateTenant(app.services, systemActor, tenant.id, { status: 'closed' });
  await purgeTenant(app.services, systemActor, tenant.id, { force: true });
  expect(await filesWithText()).toEqual([]);
});
