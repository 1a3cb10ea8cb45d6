import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { button, expectAccessible, heading, narrow } from '../../dashboard/test/support/screen.ts';
import { type CustomShop, connectShop, offerItems } from '../../server/test/sales/custom-shop.ts';
import { usePortal, type Vendor } from './support/portal.ts';
import { publishVersion } from './support/versions.ts';

const suite = usePortal();
let vendor: Vendor;
let shop: CustomShop;

beforeAll(async () => {
  vendor = await suite.newVendor();
  shop = await connectShop(suite.app, vendor.tenant);
  await offerItems(shop, { pro: { quantity: 'licenses' } }, { name: 'Pro, one year' });
});

const buyer = { id: 'customer-1', name: 'Ada Lovelace', email: 'ada@example.com' };

/** Returns a sale of the shop that was just made. */
function newSale(fields: object = {}) {
  const checkout_id = randomUUID();
  return { id: `order-${checkout_id}`, checkout_id, buyer, items: [{ id: 'pro', quantity: 1 }], ...fields };
}

const pathOf = (checkoutId: string) => `/portal/${vendor.handle}/purchase?connection=${shop.id}&id=${checkoutId}`;

test('a buyer waits on a phone for the message of the shop, copies and saves the key, and goes on to the login', async () => {
  const sale = newSale();
  const page = await suite.openWindow(narrow);
  await page.clock.install();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: suite.origin });
  await page.goto(pathOf(sale.checkout_id));
  await heading(page, 'We are confirming your payment').waitFor();
  await expectAccessible(page);
  // The shop's message may never name the checkout. Then the mail is the way to the key.
  await page.clock.fastForward(61_000);
  await page.getByText('the email with your license key is on its way', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'Go to your licenses' }).waitFor();
  await shop.tell('sale.completed', sale);
  await page.clock.fastForward(10_000);
  await heading(page, 'Your license is ready').waitFor();
  // Readers of the screen hear that it has changed.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await page.getByText('We are sending an email with the key to a…@example.com.').waitFor();
  const [sold] = await shop.sales(`?q=${sale.id}`);
  const { key } = (await vendor.tenant.asOwner('GET', `/licenses/${sold.license_ids[0]}`)).body.data;
  await page.getByText(key).waitFor();
  await page.getByRole('button', { name: /^Copy the license key of / }).click();
  await page.getByRole('status').getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as a file').click()]);
  expect(download.suggestedFilename()).toBe('license-keys.txt');
  expect(readFileSync(await download.path(), 'utf8')).toBe(`${key}\n`);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await page.getByRole('link', { name: 'Go to your licenses' }).click();
  await heading(page, 'Log in to your licenses').waitFor();
});

test('several keys are copied at once, and an old checkout shows masked keys with the way to the login', async () => {
  const sale = newSale({ items: [{ id: 'pro', quantity: 2 }] });
  await shop.tell('sale.completed', sale);
  const page = await suite.openWindow({ locale: 'de' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: suite.origin });
  await page.goto(pathOf(sale.checkout_id));
  await heading(page, 'Ihre 2 Lizenzen sind bereit').waitFor();
  await button(page, 'Alle Schlüssel kopieren').click();
  await page.getByRole('status').getByText('Kopiert').first().waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.trim().split('\n')).toHaveLength(2);
  const old = newSale({ started_at: new Date(Date.now() - 2 * 3_600_000).toISOString() });
  await shop.tell('sale.completed', old);
  await page.goto(pathOf(old.checkout_id));
  await page.getByText('Zu Ihrer Sicherheit').waitFor();
  await page.getByText(/…\w{4}$/).waitFor();
  await expectAccessible(page);
});

test('a purchase that the vendor has to complete says so, and shows the license and its downloads once they are there', async () => {
  const sale = newSale({ items: [{ id: 'lifetime', quantity: 1 }] });
  await shop.tell('sale.completed', sale);
  const page = await suite.openWindow();
  await page.goto(pathOf(sale.checkout_id));
  await heading(page, 'Your purchase has arrived').waitFor();
  await expectAccessible(page);
  await offerItems(shop, { lifetime: {} });
  await shop.work();
  await heading(page, 'Your license is ready').waitFor();
  expect(await page.getByRole('link', { name: 'Log in to download the software' }).count()).toBe(0);
  const [sold] = await shop.sales(`?q=${sale.id}`);
  await publishVersion(vendor, { licenseId: sold.license_ids[0] }, '1.0.0');
  await page.reload();
  await page.getByRole('link', { name: 'Log in to download the software' }).click();
  await heading(page, 'Log in to your licenses').waitFor();
});

test('an address without a checkout leads to the login, and a network that fails is explained while the page keeps asking', async () => {
  suite.expectFailure(/ERR_INTERNET_DISCONNECTED/);
  const page = await suite.openWindow();
  await page.goto(`/portal/${vendor.handle}/purchase?connection=${shop.id}`);
  await heading(page, 'This page does not exist').waitFor();
  await page.getByText('This address is incomplete.').waitFor();
  const sale = newSale();
  await page.goto(pathOf(sale.checkout_id));
  await heading(page, 'We are confirming your payment').waitFor();
  await page.context().setOffline(true);
  await page.getByRole('alert').getByText('The service could not be reached').waitFor();
  await shop.tell('sale.completed', sale);
  await page.context().setOffline(false);
  await heading(page, 'Your license is ready').waitFor();
});
