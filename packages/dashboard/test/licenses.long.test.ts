import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { sendFile } from '../../server/test/licensing/license-files.ts';
import { createUser, joinTenant, type TestTenant } from '../../server/test/support/accounts.ts';
import { created, newLicense, newPolicy, newProduct } from '../../server/test/support/licensing-catalog.ts';
import { button, dialog, expectAccessible, heading, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Quill');
});

const rows = (page: Page, caption: string) => page.getByRole('table', { name: caption }).locator('tbody tr');

async function act(page: Page, action: string) {
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('a license is issued, tried and edited, and bad input is reported at its field', async () => {
  dashboard.expectFailure(/^422 /);
  const product = await newProduct(tenant, { name: 'Editor' });
  await newPolicy(tenant, { product_id: product.id, name: 'Team', duration_days: 365, max_activations: 3 });
  const page = await dashboard.open(tenant.owner, '/licenses');
  await page.getByText('No licenses yet').waitFor();
  await expectAccessible(page);
  await button(page, 'New license').first().click();
  const form = dialog(page, 'New license');
  await form.getByLabel('Policy').click();
  await page.getByRole('option', { name: 'Team' }).click();
  await form.getByLabel('Name').fill('Ada Lovelace');
  await form.getByLabel('Email').fill('not an address');
  await form.getByLabel('Expires at', { exact: true }).fill('2031-05-01T12:00:00');
  await button(page, 'Create license').click();
  const email = form.getByLabel('Email');
  await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await email.fill('ada@example.com');
  await button(page, 'Create license').click();

  await heading(page, 'Ada Lovelace').waitFor();
  await page.getByRole('region', { name: 'Details' }).getByText('0 / 3').waitFor();
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByLabel('Fingerprint').fill('ada-laptop');
  await button(page, 'Validate').click();
  await page.getByRole('status', { name: 'Verdict' }).getByText('LICENSE.VALID', { exact: true }).waitFor();
  expect(await page.getByRole('region', { name: 'curl command' }).textContent()).toContain('"ada-laptop"');
  await expectAccessible(page);

  await button(page, 'Edit license').click();
  const edit = dialog(page, 'Edit license');
  await edit.getByLabel('Expires at', { exact: true }).fill('2001-01-01T00:00:00');
  await button(page, 'Save license').click();
  await edit.getByText('Choose a time after the start.').waitFor();
  await edit.getByLabel('Expires at', { exact: true }).fill('');
  await edit.getByLabel('Devices').fill('9');
  await button(page, 'Save license').click();
  await page.getByRole('region', { name: 'Details' }).getByText('0 / 9').waitFor();
  await page.getByText('Never expires.').waitFor();
});

test('a license is suspended, revoked and deleted after questions, and its history says so', async () => {
  const other = await dashboard.newTenant('Revoking');
  const license = await newLicense(other, {}, { holder: { name: 'Ada Lovelace' } });
  const page = await dashboard.open(other.owner, `/licenses/${license.id}`);
  await act(page, 'Suspend license');
  await dialog(page, 'Suspend license').getByLabel('Reason').fill('Chargeback of June');
  await dialog(page, 'Suspend license').getByRole('button', { name: 'Suspend license' }).click();
  await page.getByText('Reason: Chargeback of June').first().waitFor();
  await page.getByText('until you reinstate the license').first().waitFor();
  await page.getByRole('tab', { name: 'Try it' }).click();
  await button(page, 'Validate').click();
  await page.getByRole('status', { name: 'Verdict' }).getByText('LICENSE.SUSPENDED', { exact: true }).waitFor();
  await act(page, 'Revoke license');
  const revoke = dialog(page, 'Revoke license');
  await expect.poll(() => revoke.getByRole('button', { name: 'Revoke license' }).isDisabled()).toBe(true);
  await revoke.getByLabel('Type Ada Lovelace to confirm').fill('Ada Lovelace');
  await revoke.getByRole('button', { name: 'Revoke license' }).click();
  await page.getByText('Revoked permanently').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await expect.poll(() => rows(page, 'Audit records').count()).toBe(3);
  await act(page, 'Delete license');
  await dialog(page, 'Delete license').getByLabel('Type Ada Lovelace to confirm').fill('Ada Lovelace');
  await dialog(page, 'Delete license').getByRole('button', { name: 'Delete license' }).click();
  await page.getByText('No licenses yet').waitFor();
});

test('filters, search and sort are in the URL, and Back returns to the view before', async () => {
  const other = await dashboard.newTenant('Listed');
  const policy = await newPolicy(other, { name: 'Yearly' });
  const make = async (name: string, expires_at: string | null) =>
    created(await other.asOwner('POST', '/licenses', { policy_id: policy.id, holder: { name }, expires_at }));
  await make('Bob Barker', '2040-01-01T00:00:00Z');
  await make('Cora Clark', '2030-01-01T00:00:00Z');
  const suspended = await make('Dan Drake', null);
  await other.asOwner('POST', `/licenses/${suspended.id}/suspend`);
  const page = await dashboard.open(other.owner, '/licenses?sort=expires_at');
  await expect
    .poll(async () => (await rows(page, 'Licenses').allTextContents()).map((text) => /Bob|Cora|Dan/.exec(text)?.[0]))
    .toEqual(['Cora', 'Bob', 'Dan']);
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Suspended' }).click();
  await expect.poll(() => rows(page, 'Licenses').count()).toBe(1);
  expect(page.url()).toContain('status=suspended');
  await page.goBack();
  await expect.poll(() => rows(page, 'Licenses').count()).toBe(3);
  await page.getByLabel('Search key, customer or reference').fill('cor');
  await expect.poll(() => rows(page, 'Licenses').count()).toBe(1);
  expect(page.url()).toContain('q=cor');
  await page.reload();
  await page.getByText('Cora Clark').waitFor();
  await page.getByLabel('Search key, customer or reference').fill('nobody');
  await page.getByText('No license matches').waitFor();
  const download = page.waitForEvent('download');
  await button(page, 'Reset filters').click();
  await button(page, 'Export').click();
  await page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click();
  expect((await download).suggestedFilename()).toBe('licenses.csv');
});

test('an import shows every bad row before it writes, and then imports the others', async () => {
  const other = await dashboard.newTenant('Imported');
  await newPolicy(other, { code: 'yearly' });
  const page = await dashboard.open(other.owner, '/licenses/import', { colorScheme: 'dark' });
  const saved = page.waitForEvent('download');
  await button(page, 'Download a template').click();
  const template = await (await saved).path();
  expect(await readFile(template, 'utf8')).toMatch(
    /^product,policy,key,.*\n[\w-]+,yearly,MY-OWN-KEY-0001,Ada Lovelace,/,
  );
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'licenses.csv', mimeType: 'text/csv', buffer: await readFile(template) });
  await button(page, 'Check file').click();
  await page.getByRole('heading', { name: '1 license can be imported' }).waitFor();
  await page.getByText('Without this, your customers get no mail about the import.').waitFor();
  await button(page, 'Choose another file').click();
  const text =
    'policy,key,holder_name,created_at\nyearly,IMP-1,Ada,\nnone,IMP-2,Bob,\nyearly,IMP-1,Cora,\nyearly,IMP-3,Dan,\n';
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'licenses.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await button(page, 'Check file').click();
  await page.getByRole('heading', { name: '2 licenses can be imported' }).waitFor();
  await page.getByText('created_at: ignored').waitFor();
  await page.getByText('Use the code of an existing policy.').waitFor();
  const problems = page.getByRole('table', { name: 'Problems of the file' });
  await problems.getByRole('row', { name: /^3 .*Use the code of an existing policy. none,IMP-2,Bob,$/ }).waitFor();
  await problems.getByRole('row', { name: /^4 .*An earlier row of the file has the same value./ }).waitFor();
  await expectAccessible(page);
  const download = page.waitForEvent('download');
  await button(page, 'Download refused rows').click();
  const refused = await readFile(await (await download).path(), 'utf8');
  expect(refused.split('\n').map((line) => line.split(',"')[0])).toEqual([
    ...['policy,key,holder_name,created_at,reason', 'none,IMP-2,Bob,', 'yearly,IMP-1,Cora,', ''],
  ]);
  expect((await other.asOwner('GET', '/licenses')).body.data).toEqual([]);
  await button(page, 'Import 2 licenses').click();
  await page.getByText('2 licenses imported, 2 rows left out').waitFor();
  await page.reload();
  await page.getByText('2 licenses imported, 2 rows left out').waitFor();
  await page.getByText('Use the code of an existing policy.').waitFor();
  await page.getByRole('link', { name: 'Show licenses' }).click();
  await expect.poll(() => rows(page, 'Licenses').count()).toBe(2);
});

test('a running import shows its progress after the page was loaded again, and can be cancelled', async () => {
  const other = await dashboard.newTenant('Importing');
  await newPolicy(other, { code: 'yearly' });
  const answer = await sendFile(dashboard.app, other, 'policy\nyearly\n', { query: '?background=true' });
  const { id } = answer.body.data;
  const imported = async () => (await other.asOwner('GET', `/licenses/imports/${id}`)).body.data.state;
  await expect.poll(imported).toBe('done');
  const setProgress = (fields: object) =>
    dashboard.app.services.tenants.withTenantDb(other.id, (db) =>
      db.query.updateTable('license_imports').set(fields).where('id', '=', id).execute(),
    );
  await setProgress({ state: 'running', total: 1000, done: 420, ended_at: null });
  const page = await dashboard.open(other.owner, `/licenses/import?import=${id}`);
  await page.getByText('42%: 420 of 1,000 rows.').waitFor();
  await page.reload();
  await page.getByText('42%: 420 of 1,000 rows.').waitFor();
  await expectAccessible(page);
  await setProgress({ state: 'done', done: 1000, created: 1000 });
  await page.getByText('1,000 licenses imported.').waitFor();
  await setProgress({ state: 'running', created: 420 });
  await page.reload();
  await button(page, 'Cancel import').click();
  await page.getByText('420 licenses imported. The import was cancelled.').waitFor();
});

test('an admin changes a license on the admin surface, and its devices are deactivated by the tenant', async () => {
  const license = await newLicense(tenant, { name: 'Seats' }, { holder: { name: 'Grace Hopper' } });
  const activate = (fingerprint: string) =>
    tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint, name: `Desk ${fingerprint}` });
  created(await activate('one'));
  created(await activate('two'));
  const adminPage = await dashboard.open(dashboard.admin, `/admin/tenants/${tenant.id}/licenses/${license.id}`);
  await heading(adminPage, 'Grace Hopper').waitFor();
  await act(adminPage, 'Suspend license');
  await dialog(adminPage, 'Suspend license').getByText('2 active devices will be affected').waitFor();
  await dialog(adminPage, 'Suspend license').getByRole('button', { name: 'Suspend license' }).click();
  await adminPage.getByText('until you reinstate the license').first().waitFor();
  await act(adminPage, 'Reinstate license');
  await dialog(adminPage, 'Reinstate license').getByRole('button', { name: 'Reinstate license' }).click();
  await adminPage.getByText('Never expires.').waitFor();
  await expect.poll(() => adminPage.getByRole('button', { name: 'Release Desk one' }).count()).toBe(0);
  await act(adminPage, 'Offline certificate');
  await button(adminPage, 'Issue certificate').click();
  await button(adminPage, 'Download certificate').waitFor();

  const page = await dashboard.open(tenant.owner, '/activations?q=grace');
  await expect.poll(() => rows(page, 'Devices').count()).toBe(2);
  await page.getByRole('button', { name: 'Desk two', exact: true }).click();
  await dialog(page, 'Desk two').getByText('Last heartbeat').waitFor();
  expect(page.url()).toContain('activation=');
  await expectAccessible(page);
  await dialog(page, 'Desk two').getByRole('button', { name: 'Release device' }).click();
  await dialog(page, 'Release device').getByRole('button', { name: 'Release device' }).click();
  await dialog(page, 'Desk two').getByText('Released').waitFor();
});

test('a viewer reads licenses in a narrow window and is offered no write', async () => {
  const license = await newLicense(tenant, { name: 'Read only' }, { holder: { name: 'Viewed Holder' } });
  const viewer = await createUser(dashboard.app);
  await joinTenant(dashboard.app, viewer, tenant.id, 'viewer');
  const page = await dashboard.open(viewer, '/licenses', { width: 360, height: 740 });
  await page.getByText('Viewed Holder').waitFor();
  await expect.poll(() => button(page, 'New license').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  await expectAccessible(page);
  await page.goto(`/licenses/${license.id}`);
  await heading(page, 'Viewed Holder').waitFor();
  for (const name of ['Edit license', 'More actions', 'Validate'])
    await expect.poll(() => button(page, name).count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  await expectAccessible(page);
});
