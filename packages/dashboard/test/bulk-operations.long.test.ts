import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { runTenantJobs } from '../../server/test/jobs/job-rows.ts';
import { createUser, joinTenant, type TestTenant } from '../../server/test/support/accounts.ts';
import { created, newPolicy, newProduct } from '../../server/test/support/licensing-catalog.ts';
import { button, dialog, expectAccessible, heading, link, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

const rows = (page: Page, caption: string) => page.getByRole('table', { name: caption }).locator('tbody tr');

/** Creates a tenant with licenses of one policy, for these holders. */
async function tenantWith(name: string, holders: readonly string[]): Promise<TestTenant> {
  const tenant = await dashboard.newTenant(name);
  const product = await newProduct(tenant, { name: 'Editor' });
  const policy = await newPolicy(tenant, { name: 'Yearly', product_id: product.id, duration_days: 365 });
  for (const holder of holders) {
    created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id, holder: { name: holder } }));
  }
  return tenant;
}

/** Searches in the command palette. */
async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await dialog(page, 'Command palette').getByRole('textbox').fill(text);
}

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('region', { name: 'Selected licenses' }).getByRole('button', { name: 'Change' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('selected licenses are extended after a review, and the operation is undone', async () => {
  const tenant = await tenantWith('Selecting', ['Ada Lovelace', 'Grace Hopper', 'Mary Jackson']);
  const page = await dashboard.open(tenant.owner, '/licenses');
  await page.getByText('1–3 of 3').waitFor();
  await page.getByLabel('Select Ada Lovelace').check();
  await page.getByLabel('Select Mary Jackson').check();
  await page.getByText('2 licenses selected.').waitFor();
  await expectAccessible(page);
  await choose(page, 'Extend');
  const form = dialog(page, 'Extend 2 licenses');
  await form.getByLabel('Extend by').fill('30');
  await form.getByLabel('Reason').fill('Outage of Monday');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Review' }).click();
  await form.getByText('2 licenses will change.').waitFor();
  await form.getByRole('group', { name: 'Examples' }).getByText('Ada Lovelace').waitFor();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Extend 2 licenses' }).click();
  await heading(page, 'Extend by 30 days').waitFor();
  await runTenantJobs(dashboard.app);
  await page.getByText('2 licenses changed.').waitFor();
  await page.getByText('Outage of Monday').waitFor();
  await expectAccessible(page);
  const download = page.waitForEvent('download');
  await button(page, 'Download changes').click();
  expect((await download).suggestedFilename()).toBe('changes.csv');
  await button(page, 'Undo').click();
  await dialog(page, 'Undo operation').getByRole('button', { name: 'Undo operation' }).click();
  await heading(page, 'Undo').waitFor();
  await runTenantJobs(dashboard.app);
  await page.getByText('2 licenses changed.').waitFor();
  await find(page, 'outage');
  await dialog(page, 'Command palette').getByRole('button', { name: 'Extend by 30 days' }).click();
  await heading(page, 'Extend by 30 days').waitFor();
  await find(page, 'download');
  await dialog(page, 'Command palette').getByRole('button', { name: 'Download changes' }).waitFor();
  await page.keyboard.press('Escape');
  await link(page, 'Bulk operations').first().click();
  await expect.poll(() => rows(page, 'Bulk operations').count()).toBe(2);
  await expectAccessible(page);
});

test('selected licenses are exported, and all licenses that match', async () => {
  const tenant = await tenantWith('Exporting', ['Ada Lovelace', 'Grace Hopper', 'Mary Jackson']);
  const page = await dashboard.open(tenant.owner, '/licenses');
  const exported = async (what: string) => {
    await page.getByRole('region', { name: 'Selected licenses' }).getByRole('button', { name: 'Export' }).click();
    await page.getByText(what, { exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click();
    return await readFile(await (await download).path(), 'utf8');
  };
  await page.getByLabel('Select Ada Lovelace').check();
  await page.getByLabel('Select Mary Jackson').check();
  const selected = await exported('2 licenses');
  expect(selected.match(/Ada Lovelace|Grace Hopper|Mary Jackson/g)).toEqual(['Mary Jackson', 'Ada Lovelace']);
  await button(page, 'Select all 3 licenses').click();
  expect(await exported('All 3 licenses')).toContain('Grace Hopper');
});

test('all licenses that match a filter are suspended, and those that cannot be are named with the reason', async () => {
  const tenant = await tenantWith('Matching', ['Ada Lovelace', 'Grace Hopper']);
  const [revoked] = (await tenant.asOwner('GET', '/licenses')).body.data;
  await tenant.asOwner('POST', `/licenses/${revoked.id}/revoke`);
  const page = await dashboard.open(tenant.owner, '/licenses', { colorScheme: 'dark' });
  await page.getByLabel('Select all on this page').check();
  await button(page, 'Select all 2 licenses').click();
  await page.getByText('All 2 licenses are selected.').waitFor();
  await choose(page, 'Suspend');
  const form = dialog(page, 'Suspend all 2 licenses');
  await form.getByRole('button', { name: 'Review' }).click();
  await form.getByText('1 license will change.').waitFor();
  await form.getByText('1 license cannot be changed:').waitFor();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Suspend 1 license' }).click();
  await heading(page, 'Suspend').waitFor();
  await runTenantJobs(dashboard.app);
  await page.getByText('1 license changed, 1 refused.').waitFor();
});

test('a batch is issued, its keys are downloaded, and it is revoked as a whole', async () => {
  dashboard.expectFailure(/^422 /);
  const tenant = await tenantWith('Batching', []);
  const page = await dashboard.open(tenant.owner, '/batches');
  await page.getByText('No batches yet').waitFor();
  await expectAccessible(page);
  await button(page, 'New batch').first().click();
  const form = dialog(page, 'New batch');
  await form.getByRole('button', { name: 'Create batch' }).click();
  await form.getByText('Enter a name for the batch.').waitFor();
  await form.getByLabel('Name').fill('Reseller Nord');
  await form.getByLabel('Policy').click();
  await page.getByRole('option', { name: 'Yearly' }).click();
  await form.getByLabel('Licenses').fill('30');
  await form.getByLabel('Note').fill('Purchase order 4711');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create batch' }).click();
  await heading(page, 'Reseller Nord').waitFor();
  await runTenantJobs(dashboard.app);
  await page.getByText('Done').waitFor();
  await page.getByText('Purchase order 4711').waitFor();
  await expectAccessible(page);
  const download = page.waitForEvent('download');
  await button(page, 'Download keys').click();
  expect((await download).suggestedFilename()).toBe('keys.csv');
  await find(page, '4711');
  await dialog(page, 'Command palette').getByRole('button', { name: 'Reseller Nord' }).click();
  await link(page, 'Licenses of the batch').click();
  await page.getByText('25 or more').waitFor();
  await page.getByRole('link', { name: 'Open the batch' }).click();
  await button(page, 'Revoke batch').click();
  const revoke = dialog(page, 'Revoke all 30 licenses of the batch');
  await revoke.getByRole('button', { name: 'Review' }).click();
  await revoke.getByRole('button', { name: 'Revoke 30 licenses' }).click();
  await heading(page, 'Revoke').waitFor();
  await runTenantJobs(dashboard.app);
  await page.getByText('30 licenses changed.').waitFor();
});

test('a batch that is still issued is cancelled, and its page says so', async () => {
  const tenant = await tenantWith('Cancelling', []);
  const [policy] = (await tenant.asOwner('GET', '/policies')).body.data;
  const payload = { name: 'Mistyped', policy_id: policy.id, count: 10_000 };
  const { id } = (await tenant.asOwner('POST', '/license-batches', payload)).body.data;
  // The job of the service waits, so that the batch still runs when the page is shown.
  await dashboard.app.services.tenants.withTenantDb(tenant.id, ({ query }) =>
    query.updateTable('license_batches').set({ continues_at: '2100-01-01T00:00:00.000000Z' }).execute(),
  );
  const page = await dashboard.open(tenant.owner, `/batches/${id}`);
  await button(page, 'Cancel batch').click();
  await page.getByText('The batch was cancelled.').waitFor();
  expect(await button(page, 'Cancel batch').count()).toBe(0);
  await expectAccessible(page);
});

test('a list says which rows it shows, and the filter of the days has what the overview counts', async () => {
  const tenant = await tenantWith(
    'Counted',
    Array.from({ length: 27 }, (_, index) => `Holder ${index}`),
  );
  const page = await dashboard.open(tenant.owner, '/licenses');
  await page.getByText('1–25 of 27').waitFor();
  await button(page, 'Next page').click();
  await page.getByText('26–27 of 27').waitFor();
  await page.goBack();
  await page.getByText('1–25 of 27').waitFor();
  const { body } = await tenant.asOwner('GET', '/licenses?limit=2');
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await tenant.asOwner('PUT', `/licenses/${body.data[0].id}`, { expires_at: inDays(7.4) });
  await tenant.asOwner('PUT', `/licenses/${body.data[1].id}`, { expires_at: inDays(6.6) });
  await page.goto('/licenses?expires_within=7');
  await expect.poll(() => rows(page, 'Licenses').count()).toBe(1);
  await page.getByText(/^(in 6 days|in 7 days)$/).waitFor();
  await page.goto('/licenses?expires_within=14&status=active');
  await expect.poll(() => rows(page, 'Licenses').count()).toBe(2);
});

test('at 360 pixels the holder, the status and the expiry of a license fit', async () => {
  const tenant = await tenantWith('Narrow', ['Ada Lovelace']);
  const page = await dashboard.open(tenant.owner, '/licenses', narrow);
  for (const header of ['Customer', 'Status', 'Expires']) {
    const column = page.getByRole('columnheader', { name: header });
    await column.waitFor();
    const box = await column.boundingBox();
    expect((box?.x ?? 360) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
  }
  await expectAccessible(page);
});

test('an admin changes many licenses of a tenant, and a viewer is offered nothing', async () => {
  const tenant = await tenantWith('Administered', ['Ada Lovelace']);
  const page = await dashboard.open(dashboard.admin, `/admin/tenants/${tenant.id}/licenses`);
  await page.getByLabel('Select Ada Lovelace').check();
  await choose(page, 'Set device limit');
  const form = dialog(page, 'Set the device limit of 1 license');
  await form.getByLabel('Devices per license').fill('5');
  await form.getByRole('button', { name: 'Review' }).click();
  await form.getByRole('button', { name: 'Change 1 license' }).click();
  await heading(page, 'Set the limit to 5 devices').waitFor();
  await runTenantJobs(dashboard.app);
  await page.getByText('1 license changed.').waitFor();
  const viewer = await createUser(dashboard.app);
  await joinTenant(dashboard.app, viewer, tenant.id, 'viewer');
  const viewed = await dashboard.open(viewer, '/licenses');
  await viewed.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  expect(await viewed.getByRole('checkbox').count()).toBe(0);
});
