import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { purgeTenant } from '../../src/features/accounts/tenants/archive-service.ts';
import { updateTenant } from '../../src/features/accounts/tenants/service.ts';
import { createMailQueue } from '../../src/mail/queue.ts';
import { MailRefusedError } from '../../src/mail/transport.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { createTenant, type TestTenant, useTenantPerTest } from '../support/accounts.ts';
import { mailsTo } from '../support/mails.ts';

const suite = useTenantPerTest();
const planted = 'planted-by-the-tenant';

/** Returns the files of the data directory, the logs of the databases included, that contain the planted text. */
async function filesWithText(): Promise<string[]> {
  const entries = await readdir(suite.app.config.dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const));
  return texts.flatMap(([file, text]) => (text.includes(planted) ? [file] : []));
}

async function purge({ id }: TestTenant): Promise<void> {
  await updateTenant(suite.app.services, systemActor, id, { status: 'closed' });
  await purgeTenant(suite.app.services, systemActor, id, { force: true });
}

async function invite(tenant: TestTenant, email: string): Promise<void> {
  expect((await tenant.asOwner('POST', '/members', { email, role: 'viewer' })).status).toBe(201);
}

/** Lets the mail server refuse all due mail. */
async function refuseDueMail(): Promise<void> {
  const { services } = suite.app;
  const send = () => Promise.reject(new MailRefusedError('550 No such mailbox'));
  const transport = { concurrency: 1, close: () => undefined, send };
  const renderAttachment = () => Promise.resolve(undefined);
  await createMailQueue({ ...services, metrics: services.metrics.mail, transport, renderAttachment }).deliverDue();
}

const storedMails = async () => {
  const { query } = suite.app.services.platform;
  const rows = [query.selectFrom('mails').select('id'), query.selectFrom('dead_mails').select('id')];
  return (await Promise.all(rows.map((select) => select.execute()))).map(({ length }) => length);
};

test('after a purge no database file and no log of the running service contains rows of the tenant', async () => {
  const { tenant } = suite;
  expect((await tenant.asOwner('POST', '/api-keys', { name: planted })).status).toBe(201);
  expect(await filesWithText()).not.toEqual([]);
  await purge(tenant);
  expect(await filesWithText()).toEqual([]);
});

test('after a purge no file, no waiting mail and no rejected mail that the tenant caused remains', async () => {
  const { app, admin, tenant } = suite;
  const other = await createTenant(app, admin);
  await invite(tenant, `${planted}@example.com`);
  await invite(other, 'first@example.com');
  expect(await mailsTo(app, `${planted}@example.com`)).toHaveLength(1);
  await invite(tenant, 'rejected@example.com');
  await invite(other, 'also-rejected@example.com');
  await refuseDueMail();
  await invite(tenant, 'waiting@example.com');
  await invite(other, 'also-waiting@example.com');
  expect(await storedMails()).toEqual([2, 2]);
  expect(await filesWithText()).toContainEqual(expect.stringMatching(/\.eml$/));
  await purge(tenant);
  expect(await filesWithText()).toEqual([]);
  expect(await storedMails()).toEqual([1, 1]);
  expect(await mailsTo(app, 'first@example.com')).toHaveLength(1);
  expect(await mailsTo(app, 'also-waiting@example.com')).toHaveLength(1);
});
