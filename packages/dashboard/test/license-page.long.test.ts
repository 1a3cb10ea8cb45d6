import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { offlineRequest, readCertificateFile, verifyCertificate } from '../../sdk/src/index.ts';
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
  await dashboard.app.services.deviceHistory.flush();
  await page.reload();
  await page.getByText(/New devices have been refused since \d/).waitFor();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Checks' }).click();
  await page.getByText('Device refused').waitFor();
  const table = rows(page, 'Checks of the license');
  await expect.poll(() => table.count()).toBe(2);
  expect(await table.first().textContent()).toContain('4.2');
  await page.getByText('All devices of the license are in use. Allow one more device').waitFor();
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
  await dialog(page, 'Release device').getByText('“Old” stops at its next check').waitFor();
  await dialog(page, 'Release device').getByRole('button', { name: 'Release device' }).click();
  await details(page).getByText('1 / 2').waitFor();
});

test('a device without a network is activated by its request file and gets the certificate file that SDKs import', async () => {
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
  await page.getByRole('table', { name: 'Devices of the license' }).getByText('Cash desk').waitFor();
  await act(page, 'Offline certificate');
  const certificate = dialog(page, 'Offline certificate');
  await certificate.getByRole('button', { name: 'Issue certificate' }).click();
  await certificate.getByText('Enter the fingerprint: the policy requires an activated device.').waitFor();
  const { code } = (await tenant.asOwner('GET', `/products/${license.product_id}`)).body.data;
  const choose = (text: string) =>
    certificate
      .locator('input[type="file"]')
      .setInputFiles({ name: 'request.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await choose(offlineRequest({ product: 'other', fingerprint: 'kiosk' }));
  await certificate.getByText('This request file is of the product “other”').waitFor();
  await choose(offlineRequest({ product: code, fingerprint: 'kiosk', name: 'Kiosk' }));
  await certificate.getByLabel('Activate this device first').waitFor();
  expect(await certificate.getByLabel('Fingerprint').inputValue()).toBe('kiosk');
  await expectAccessible(page);
  await certificate.getByRole('button', { name: 'Issue certificate' }).click();
  const saved = page.waitForEvent('download');
  await button(page, 'Download certificate').click();
  const file = readCertificateFile(await readFile(await (await saved).path(), 'utf8'));
  expect(file).toMatchObject({ product: code, licenseKey: license.key });
  const { keys } = (await dashboard.app.request({ method: 'GET', url: `/api/v1/tenants/${tenant.id}/jwks.json` })).body;
  const conditions = { jwks: { keys }, issuer: dashboard.origin, audience: tenant.id, product: code };
  expect(await verifyCertificate(file.certificate, { ...conditions, fingerprint: 'kiosk' })).toMatchObject({
    code: 'LICENSE.VALID',
  });
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
    ['Replace the key', 'Replace the key'],
  ] as const) {
    await button(page, 'Validate').click();
    await verdict.getByText(/^LICENSE\./).waitFor();
    await act(page, action);
    await dialog(page, action).getByRole('button', { name: confirm }).click();
    if (action === 'Replace the key') {
      const replaced = dialog(page, 'The key was replaced');
      const key = await replaced.getByLabel('new license key').textContent();
      expect((await tenant.asOwner('GET', `/licenses/${license.id}`)).body.data.key).toBe(key);
      await replaced.getByRole('button', { name: 'Copy' }).waitFor();
      await button(page, 'Done').click();
    }
    await verdict.getByText('The license has changed since the last verdict.').waitFor();
  }
});

test('tolerated devices are named, a suspension says until when certificates work, and then no check is green', async () => {
  const license = await newLicense(tenant, {
    max_activations: 2,
    activation_overage_percent: 50,
    offline_ttl_seconds_max: 7 * 86_400,
  });
  for (const fingerprint of ['one', 'two', 'three']) created(await activate(license.key, fingerprint));
  await dashboard.app.services.deviceHistory.flush();
  const page = await dashboard.open(tenant.owner, `/licenses/${license.id}?tab=checks`);
  const devices = '3 devices in use. The license is for 2 devices, and 1 more is tolerated.';
  await page.getByRole('alert').getByText(devices).waitFor();
  await details(page).getByText(devices).waitFor();
  await details(page).getByText('Devices are not limited until the application activates them.').waitFor();
  const green = rows(page, 'Checks of the license').locator('[data-tone="good"]');
  await expect.poll(() => green.count()).toBe(3);
  await act(page, 'Suspend license');
  await dialog(page, 'Suspend license')
    .getByText(/offline certificate can go on working without a network until/)
    .waitFor();
  await dialog(page, 'Suspend license').getByRole('button', { name: 'Suspend license' }).click();
  await expect.poll(() => green.count()).toBe(0);
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
  await details(page).getByText('14 days from first validation').waitFor();
  await page.goto(`${dashboard.origin}/licenses?q=trial`);
  const row = rows(page, 'Licenses').first();
  await row.getByText('14 days from first validation').waitFor();
  expect(await row.textContent()).not.toContain('Never expires');
});
