import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { addAccount } from '../../server/test/accounts/members.ts';
import type { TestTenant } from '../../server/test/support/accounts.ts';
import { button, expectAccessible, link, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Acme');
});

test('the audit log names the person, shows the changed fields, and keeps its filters in the URL', async () => {
  await tenant.asOwner('PUT', '/settings', { support_email: 'help@example.com' });
  await tenant.asOwner('POST', '/products', { name: 'Editor', code: 'editor' });
  const page = await dashboard.open(tenant.owner, '/audit-logs');
  const records = page.getByRole('table', { name: 'Audit records' });
  await records.getByText('created a product').waitFor();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Event' }).click();
  await page.getByRole('option', { name: 'Settings updated' }).click();
  await records.getByText('created a product').waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('event')).toBe('SETTINGS.UPDATED');
  await page.reload();
  const row = records.getByRole('row').filter({ hasText: 'Ada Lovelace changed the settings' });
  await row.getByRole('button', { name: '1 field' }).click();
  await row.getByText('help@example.com').waitFor();
  expect(await row.getByRole('button', { name: 'Copy request ID' }).count()).toBe(1);
  await expectAccessible(page);
  await page.goBack();
  await records.getByText('created a product').waitFor();
});

test('the records that the filters match are saved as a file, of a tenant and of the platform', async () => {
  await tenant.asOwner('PUT', '/settings', { support_email: 'export@example.com' });
  await tenant.asOwner('POST', '/entitlements', { code: 'export', name: 'Export', type: 'boolean' });
  const save = async (page: Page, format: string) => {
    await button(page, 'Export').click();
    await page.getByText('All records that match the filters').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: format }).click();
    const download = await downloading;
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  };
  const page = await dashboard.open(tenant.owner, '/audit-logs?event=SETTINGS.UPDATED&from=2026-01-01');
  await page.getByRole('table', { name: 'Audit records' }).getByText('changed the settings').first().waitFor();
  await expectAccessible(page);
  const csv = await save(page, 'CSV, for spreadsheets');
  expect([csv.name, csv.text.split('\n')[0]]).toEqual(['audit-logs.csv', expect.stringContaining('actor_name')]);
  expect(csv.text).toContain('SETTINGS.UPDATED');
  expect(csv.text).not.toContain('ENTITLEMENT.CREATED');
  const window = await dashboard.open(dashboard.admin, '/admin/audit?event=ADMIN.LOGIN');
  const ndjson = await save(window, 'NDJSON, for programs');
  expect(ndjson.name).toBe('platform-audit.ndjson');
  expect(JSON.parse(ndjson.text.split('\n')[0] ?? '')).toMatchObject({ event: 'ADMIN.LOGIN' });
});

test('the settings show a refused field, keep the input, and warn before it is lost', async () => {
  dashboard.expectFailure(/^422 \/api\/v1\/tenant\/settings$/);
  const page = await dashboard.open(tenant.owner, '/settings');
  const prefix = page.getByLabel('License key prefix');
  await prefix.fill('-bad-');
  await page.getByLabel('Usage (days)').fill('5');
  await button(page, 'Save settings').click();
  await expect.poll(() => prefix.getAttribute('aria-invalid')).toBe('true');
  expect(await prefix.inputValue()).toBe('-bad-');
  await expectAccessible(page);
  await link(page, 'Audit log').click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
  await button(page, 'Stay').click();
  await prefix.fill('ACME');
  await page.getByLabel('Usage (days)').fill('500');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme Tools');
  await button(page, 'Save settings').click();
  await page.getByRole('button', { name: /Acme Tools/ }).waitFor();
  await link(page, 'Audit log').click();
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  const { data } = (await tenant.asOwner('GET', '/settings')).body;
  expect(data).toMatchObject({ name: 'Acme Tools', license_key_prefix: 'ACME', retention_days: { usage: 500 } });
});

test('a notification appears by itself, leads to its subject, and is read for everybody', async () => {
  const page = await dashboard.open(tenant.owner, '/notifications');
  await page.getByText('Nothing needs your attention').waitFor();
  await button(page, 'New notification').click();
  const form = page.getByRole('dialog', { name: 'New notification' });
  await form.getByLabel('Title').fill('Release on Friday');
  await form.getByLabel('Body').fill('Please change no policies.');
  await expectAccessible(page);
  await button(page, 'Create notification').click();
  await page.getByText('Release on Friday').waitFor();
  const colleague = await addAccount(dashboard.app, tenant, 'admin');
  const headers = { ...colleague.auth, 'x-tenant-id': tenant.id };
  const payload = { severity: 'critical', title: 'The mail server is offline', body: 'Call the provider.' };
  await dashboard.app.request({ method: 'POST', url: '/api/v1/tenant/notifications', headers, payload });
  await page.getByRole('link', { name: /Notifications \d unread/ }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'The mail server is offline' });
  await row.getByText('Critical').first().waitFor();
  await expectAccessible(page);
  await button(page, 'Mark as read: The mail server is offline').first().click();
  await row.waitFor({ state: 'detached' });
  await button(page, 'Mark all as read').click();
  await page.getByText('Nothing needs your attention').waitFor();
  const { data } = (await tenant.asOwner('GET', '/notifications/unread-count')).body;
  expect(data).toEqual({ count: 0 });
});

test('a viewer reads the settings, and an admin of the platform changes them on a narrow screen', async () => {
  const viewer = await dashboard.open(await addAccount(dashboard.app, tenant, 'viewer'), '/settings');
  await viewer.getByText('You can view the settings.').waitFor();
  expect(await viewer.getByLabel('Support email').isDisabled()).toBe(true);
  await expect.poll(() => button(viewer, 'Save settings').count()).toBe(0);

  const base = `/admin/tenants/${tenant.id}`;
  const page = await dashboard.open(dashboard.admin, `${base}/settings`, narrow);
  await page.getByLabel('Days before expiry').fill('30');
  await button(page, 'Save settings').click();
  await expectAccessible(page);
  for (const [path, name] of [
    ['audit-logs', 'Audit log'],
    ['notifications', 'Notifications'],
    ['webhook-endpoints', 'Webhooks'],
  ] as const) {
    await page.goto(`${base}/${path}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page
      .getByRole('table')
      .or(page.getByText(/No webhook endpoints yet|Nothing needs/))
      .first()
      .waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBe(0);
  }
  await page.goto(`${base}/audit-logs?event=SETTINGS.UPDATED&actor_type=admin`);
  await page.getByText('Grace Hopper').first().waitFor();
});
