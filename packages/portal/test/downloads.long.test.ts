import { expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { button, expectAccessible, link, narrow } from '../../dashboard/test/support/screen.ts';
import { usePortal, type Vendor } from './support/portal.ts';
import { publishVersion } from './support/versions.ts';

const suite = usePortal();
const product = { renewal_url: 'https://acme.example/renew' };

/** Stands in for the server of the vendor. Returns the addresses that the browser asked it for. */
async function answerDownloads(page: Page): Promise<string[]> {
  suite.expectFailure(/^other origin: https:\/\/downloads\.example\//);
  const asked: string[] = [];
  await page.context().route('https://downloads.example/**', async (route) => {
    asked.push(route.request().url());
    await route.fulfill({ body: 'installer', headers: { 'content-disposition': 'attachment' } });
  });
  return asked;
}

/** Ends the maintenance of a license now, before the versions that are published later. */
async function endMaintenance({ tenant }: Vendor, licenseId: string): Promise<void> {
  const answer = await tenant.asOwner('PUT', `/licenses/${licenseId}`, {
    maintenance_expires_at: new Date().toISOString(),
  });
  expect(answer.status).toBe(200);
}

test('a holder downloads the newest permitted version for the own system, and learns why a newer one is refused', async () => {
  const vendor = await suite.newVendor();
  const holder = await suite.newHolder(vendor, { product, policy: { maintenance_days: 30 } });
  const notes =
    '- **Faster** exports\n- [Guide](https://acme.example/guide) [x](javascript:alert(1)) <script>alert(2)</script> ![pixel](https://evil.example/x.png)';
  await publishVersion(vendor, holder, '1.9.0');
  await publishVersion(vendor, holder, '1.10.0', { notes });
  await publishVersion(vendor, holder, '1.11.0-beta.1', { channel: 'beta' });
  await endMaintenance(vendor, holder.licenseId);
  await publishVersion(vendor, holder, '2.0.0');
  const page = await suite.openAs(vendor, holder, `/licenses/${holder.licenseId}#downloads`);
  const asked = await answerDownloads(page);
  const downloads = page.locator('#downloads');
  await downloads.getByText('There is a newer version, 2.0.0. It came out after the end of your updates.').waitFor();
  expect(await downloads.getByRole('link', { name: /^Renew/ }).getAttribute('href')).toBe(product.renewal_url);
  await downloads.getByRole('heading', { name: `${holder.product} 1.10.0` }).waitFor();
  // The files of other systems are in the list of all.
  expect(await downloads.getByRole('button').count()).toBe(1);
  await expectAccessible(page);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Download Editor-1.10.0.AppImage').click(),
  ]);
  expect(file.url()).toBe('https://downloads.example/1.10.0/Editor-1.10.0.AppImage');
  await page.getByRole('status').getByText('The download of Editor-1.10.0.AppImage begins.').waitFor();
  await downloads.getByText('What is new').first().click();
  await downloads.getByText('Faster', { exact: true }).waitFor();
  // Neither a script, nor a link to one, nor an image of another origin, which would fail the suite.
  await downloads.getByText('[x](javascript:alert(1)) <script>alert(2)</script> !').waitFor();
  expect(await link(page, 'pixel').getAttribute('href')).toBe('https://evil.example/x.png');
  expect(await downloads.locator('img, script').count()).toBe(0);
  expect(await link(page, 'Guide').getAttribute('href')).toBe('https://acme.example/guide');
  await downloads.getByText('All versions and systems').click();
  await downloads.getByText('It came out after the end of your updates.', { exact: true }).waitFor();
  await expectAccessible(page);
  await Promise.all([page.waitForEvent('download'), button(page, 'Download Editor-1.9.0.dmg').click()]);
  expect(asked).toHaveLength(2);
  const { product_id } = (await vendor.tenant.asOwner('GET', `/licenses/${holder.licenseId}`)).body.data;
  const { body } = await vendor.tenant.asOwner('GET', `/products/${product_id}/releases`);
  const counted = body.data.map((one: { version: string; downloads_count: number }) => [
    one.version,
    one.downloads_count,
  ]);
  expect(Object.fromEntries(counted)).toEqual({ '2.0.0': 0, '1.11.0-beta.1': 0, '1.10.0': 1, '1.9.0': 1 });
});

test('an expired license permits no version, a plan without an entitlement not the versions that need it, on a phone', async () => {
  const vendor = await suite.newVendor();
  await vendor.tenant.asOwner('POST', '/entitlements', { code: 'pro', name: 'Pro', type: 'boolean' });
  const past = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const expired = await suite.newHolder(vendor, { product, license: { starts_at: past(30), expires_at: past(3) } });
  await publishVersion(vendor, expired, '1.0.0');
  const page = await suite.openAs(vendor, expired, `/licenses/${expired.licenseId}`, { ...narrow, locale: 'de' });
  const downloads = page.locator('#downloads');
  await downloads.getByText('Ihre Lizenz ist abgelaufen.').waitFor();
  await downloads.getByRole('link', { name: /^Verlängern/ }).waitFor();
  expect(await downloads.getByRole('button').count()).toBe(0);
  await expectAccessible(page);
  const basic = await suite.newHolder(vendor);
  await publishVersion(vendor, basic, '1.0.0', { minimum_entitlements: ['pro'] });
  const other = await suite.openAs(vendor, basic, `/licenses/${basic.licenseId}`, { ...narrow, locale: 'fr' });
  await other.locator('#downloads').getByText('Votre formule ne la comprend pas.').waitFor();
  expect(await other.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

test('a version that is yanked while the page is open is refused, and a product without versions has no downloads', async () => {
  suite.expectFailure(/^404 .*\/download$/);
  const vendor = await suite.newVendor();
  const holder = await suite.newHolder(vendor);
  const page = await suite.openAs(vendor, holder, `/licenses/${holder.licenseId}`);
  expect(await page.locator('#downloads').count()).toBe(0);
  await publishVersion(vendor, holder, '1.0.0');
  await page.reload();
  await button(page, 'Download Editor-1.0.0.AppImage').waitFor();
  const { product_id } = (await vendor.tenant.asOwner('GET', `/licenses/${holder.licenseId}`)).body.data;
  const path = `/products/${product_id}/releases`;
  const { body } = await vendor.tenant.asOwner('GET', path);
  await vendor.tenant.asOwner('POST', `${path}/${body.data[0].id}/yank`, { reason: 'It loses files.' });
  await button(page, 'Download Editor-1.0.0.AppImage').click();
  await page.getByRole('alert').getByText('This was changed in the meantime.').waitFor();
});
