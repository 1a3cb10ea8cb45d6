import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import type { TestTenant } from '../../server/test/support/accounts.ts';
import { created, newLicense } from '../../server/test/support/licensing-catalog.ts';
import { button, dialog, expectAccessible, heading, useDashboard } from './support/screen.ts';

// A support request: why was my customer refused, and what helps.

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Support');
});

const activate = (key: string, fingerprint: string, fields: object = {}) =>
  tenant.asApplication(`/licenses/${key}/activations`, { fingerprint, ...fields });
const rows = (page: Page, caption: string) => page.getByRole('table', { name: caption }).locator('tbody tr');
const details = (page: Page) => page.getByRole('region', { name: 'Details' });

async function act(page: Page, action: string) {
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('a license at its limit says since when devices are refused, and one click allows one more', async () => {
  const license = await newLicense(tenant, { max_activations: 1 }, { holder: { name: 'Ada Lovelace' } });
  created(await activate(license.key, 'desk', { name: 'Desk' }));
  const page = await dashboard.open(tenant.owner, `/licenses/${license.id}`);
  await page.getByText('1 of 1 device is in use').waitFor();
  await page.getByText('The next new device will be refused.').waitFor();
  expect((await activate(license.key, 'laptop', { app_version: '4.2' })).status).toBe(422);
  await dashboard.app.services.licenseChecks.flush();
  await page.reload();
  await page.getByText(/New devices have been refused since \d/).waitFor();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Checks' }).click();
  await page.getByText('Activation refused').waitFor();
  const table = rows(page, 'Checks of the license');
  await expect.poll(() => table.count()).toBe(2);
  expect(await table.first().textContent()).toContain('4.2');
  await page.getByText('Every seat is taken. Allow one more device').waitFor();
  await page.getByRole('switch', { name: 'Only refused' }).click();
  await expect.poll(() => table.count()).toBe(1);
  expect(page.url()).toContain('refused=true');
  await expectAccessible(page);
  await button(page, 'Allow one more').click();
  await details(page).getByText('1 / 2').waitFor();
  await expect.poll(() => page.getByText(/devices? (is|are) in use/).count()).toBe(0);
  expect((await activate(license.key, 'laptop')).status).toBe(201);
});

test('the oldest device is released from a license at its limit', async () => {
  const license = await newLicense(tenant, { max_activations: 2 });
  for (const name of ['Old', 'New']) created(await activate(license.key, name, { name }));
  const page = await dashboard.open(tenant.owner, `/licenses/${license.id}`);
  await button(page, 'Release the oldest').click();
  await dialog(page, 'Deactivate device').getByText('“Old” loses its activation').waitFor();
  await dialog(page, 'Deactivate device').getByRole('button', { name: 'Deactivate device' }).click();
  await details(page).getByText('1 / 2').waitFor();
});

test('a device without a network is activated by hand and gets its offline certificate', async () => {
  dashboard.expectFailure(/^422 /);
  const license = await newLicense(tenant, { require_activation: true, max_activations: 2 });
  const page = await dashboard.open(tenant.owner, `/licenses/${license.id}`);
  await act(page, 'Activate device');
  const form = dialog(page, 'Activate device');
  await form.getByRole('button', { name: 'Activate device' }).click();
  await form.getByText('Enter the fingerprint of the device.').waitFor();
  await form.getByLabel('Fingerprint').fill('cash-desk');
  await form.getByLabel('Device name').fill('Cash desk');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Activate device' }).click();
  await page.getByRole('table', { name: 'Activations of the license' }).getByText('Cash desk').waitFor();
  await act(page, 'Offline certificate');
  const certificate = dialog(page, 'Offline certificate');
  await certificate.getByRole('button', { name: 'Issue certificate' }).click();
  await certificate.getByText('Enter the fingerprint: the policy requires an activated device.').waitFor();
  await certificate.getByLabel('Fingerprint').fill('kiosk');
  await certificate.getByLabel('Activate this device first').waitFor();
  await expectAccessible(page);
  await certificate.getByRole('button', { name: 'Issue certificate' }).click();
  await button(page, 'Download certificate').waitFor();
  const { body } = await tenant.asOwner('GET', `/licenses/${license.id}`);
  expect(body.data.activations_count).toBe(2);
});

test('the verdict of "Try it" disappears when the license changes', async () => {
  const license = await newLicense(tenant);
  const page = await dashboard.open(tenant.owner, `/licenses/${license.id}?tab=try`);
  const verdict = page.getByRole('status', { name: 'Verdict' });
  for (const [action, confirm] of [
    ['Suspend license', 'Suspend license'],
    ['Reinstate license', 'Reinstate license'],
    ['Rotate key', 'Rotate key'],
  ] as const) {
    await button(page, 'Validate').click();
    await verdict.getByText(/^LICENSE\./).waitFor();
    await act(page, action);
    await dialog(page, action).getByRole('button', { name: confirm }).click();
    await verdict.getByText('The license has changed since the last verdict.').waitFor();
  }
});

test('a renewal shows the date that it leads to, by the policy, by another length or to a date', async () => {
  const expires_at = '2031-11-23T12:00:00Z';
  const license = await newLicense(tenant, { duration_months: 12 }, { expires_at });
  const page = await dashboard.open(tenant.owner, `/licenses/${license.id}`);
  await act(page, 'Renew license');
  const form = dialog(page, 'Renew license');
  await form.getByText('Nov 23, 2032').waitFor();
  await expectAccessible(page);
  await form.getByRole('combobox', { name: 'Renew by' }).click();
  await page.getByRole('option', { name: '1 month' }).click();
  await form.getByText('Dec 23, 2031').waitFor();
  await form.getByRole('button', { name: 'Renew license' }).click();
  await details(page)
    .getByText(/Dec 23, 2031/)
    .waitFor();
  await act(page, 'Renew license');
  await form.getByRole('combobox', { name: 'Renew by' }).click();
  await page.getByRole('option', { name: 'Until another date' }).click();
  await form.getByLabel('New end').fill('2033-05-01T12:00');
  await form.getByText('May 1, 2033').waitFor();
  await form.getByRole('button', { name: 'Renew license' }).click();
  await details(page)
    .getByText(/May 1, 2033/)
    .waitFor();
});

test('a license whose term begins with its first use says so, and not that it never expires', async () => {
  const license = await newLicense(
    tenant,
    { duration_days: 14, expiry_basis: 'first_validation' },
    { holder: { name: 'Trial Holder' } },
  );
  const page = await dashboard.open(tenant.owner, `/licenses/${license.id}`);
  await heading(page, 'Trial Holder').waitFor();
  await details(page).getByText('14 days after first use').waitFor();
  await page.goto(`${dashboard.origin}/licenses?q=trial`);
  const row = rows(page, 'Licenses').first();
  await row.getByText('14 days after first use').waitFor();
  expect(await row.textContent()).not.toContain('Never expires');
});
