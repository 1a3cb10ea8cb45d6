import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { addAccount } from '../../server/test/accounts/members.ts';
import { openPortal } from '../../server/test/holders/portal-data.ts';
import { runTenantJobs } from '../../server/test/jobs/job-rows.ts';
import { connectShop, offerItems } from '../../server/test/sales/custom-shop.ts';
import { imitateStripe } from '../../server/test/sales/imitated-stripe.ts';
import type { TestTenant } from '../../server/test/support/accounts.ts';
import { created, newPolicy } from '../../server/test/support/licensing-catalog.ts';
import { button, dialog, expectAccessible, heading, link, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Acme');
  await openPortal(tenant);
  await newPolicy(tenant, { name: 'Pro, yearly' });
});

async function choosePolicy(page: Page, name: string): Promise<void> {
  await page
    .getByRole('textbox', { name: 'Policy' })
    .or(page.getByRole('combobox', { name: 'Policy' }))
    .first()
    .click();
  await page.getByRole('option', { name }).click();
}

const buyer = { id: 'customer-1', name: 'Ada Lovelace', email: 'ada@example.com' };

test('an owner connects Stripe in three steps, and the secret is in no answer, address or storage', async () => {
  const page = await dashboard.open(tenant.owner, '/connections');
  await page.getByText('No shop is connected yet').waitFor();
  await expectAccessible(page);
  await link(page, 'Connect a shop').first().click();
  await heading(page, 'Connect a shop').waitFor();
  await button(page, /^Stripe/).click();
  await page.getByLabel('Name').fill('Web shop');
  await expectAccessible(page);
  await button(page, 'Continue').click();
  await heading(page, 'Connect Stripe').waitFor();
  const address = await page.getByRole('region', { name: 'address', exact: true }).innerText();
  expect(address).toMatch(/\/webhooks\/sales\/[\da-f-]{36}$/);
  await page.getByText('checkout.session.completed').waitFor();
  await page.getByText('&id={CHECKOUT_SESSION_ID}').waitFor();
  await button(page, 'Continue').click();
  await page.getByText('Enter the signing secret of the shop.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Signing secret').fill('whsec_secret_of_the_destination');
  await button(page, 'Continue').click();
  await page.getByText('Nothing is mapped yet').waitFor();
  await expectAccessible(page);
  await button(page, 'Add offer').click();
  const form = dialog(page, 'Add offer');
  await form.getByLabel('Price ID').fill('price_1');
  await form.getByLabel('Name').fill('Pro');
  await choosePolicy(page, 'Pro, yearly');
  const sentence =
    'A sale issues one license “Pro, yearly” for as many devices as the policy allows; a refund revokes it.';
  await form.getByText(sentence).waitFor();
  await form.getByRole('radio', { name: 'One license, and the quantity is its number of devices' }).click();
  await form.getByText('The offer decides.', { exact: false }).waitFor();
  await form.getByRole('radio', { name: 'One license, with the devices as the policy says' }).click();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Add offer' }).click();
  await page.getByRole('table', { name: 'Offers' }).getByText('price_1').waitFor();
  await link(page, 'Finish').click();
  await heading(page, 'Web shop').waitFor();
  await page.getByText('Nothing sold yet').waitFor();
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, location.href]));
  expect(stored + (await page.content())).not.toContain('whsec_secret');
});

test('a test sale shows the message, the license, the mail and the page of the buyer, and each leads there', async () => {
  const page = await dashboard.open(tenant.owner, '/connections/new?provider=custom');
  await page.getByLabel('Name').fill('Own shop');
  await button(page, 'Continue').click();
  await dialog(page, 'Connection created')
    .getByText(/^whsec_/)
    .waitFor();
  await expectAccessible(page);
  await button(page, 'I have stored it').click();
  await heading(page, 'Connect your own shop').waitFor();
  await button(page, 'Continue').click();
  await button(page, 'Add offer').click();
  const form = dialog(page, 'Add offer');
  await form.getByLabel('Item ID').fill('pro');
  await form.getByLabel('Name').fill('Pro');
  await choosePolicy(page, 'Pro, yearly');
  await form.getByRole('button', { name: 'Add offer' }).click();
  await page.getByRole('table', { name: 'Offers' }).waitFor();
  await link(page, 'Finish').click();
  await button(page, 'Send a test sale').click();
  const picture = page.getByRole('region', { name: 'Test sale' });
  await picture.waitFor();
  await runTenantJobs(dashboard.app);
  await picture.getByRole('link', { name: /Pro, yearly$/ }).waitFor();
  await runTenantJobs(dashboard.app);
  await picture.getByRole('link', { name: /^Sent to / }).waitFor();
  await expectAccessible(page);
  // A reload keeps the picture.
  await page.reload();
  const href = await picture.getByRole('link', { name: 'See what the customer sees' }).getAttribute('href');
  await picture.getByRole('link', { name: 'sale.completed' }).click();
  await dialog(page, 'Message').getByText('As the shop sent it').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await picture.getByRole('link', { name: /Pro, yearly$/ }).click();
  const sale = page.getByRole('region', { name: 'Test sale' });
  await sale.getByRole('link', { name: 'Your own shop' }).waitFor();
  await sale.getByText('nobody paid anything', { exact: false }).waitFor();
  await page.getByText('(test sale)', { exact: false }).first().waitFor();
  await expectAccessible(page);
  await page.goBack();
  await page.goto(href ?? '');
  await page.getByRole('heading', { name: 'Your license is ready' }).waitFor();
  await page.goBack();
  await picture.getByRole('button', { name: 'Remove the license' }).click();
  await dialog(page, 'Remove the license').getByRole('button', { name: 'Remove the license' }).click();
  await picture.getByText('The license was removed.').waitFor();
  expect((await tenant.asOwner('GET', '/licenses')).body.data).toEqual([]);
});

test('a sale of something without an offer is a problem that mapping the item solves', async () => {
  const shop = await connectShop(dashboard.app, tenant, 'Third shop');
  await offerItems(shop, { known: {} });
  await shop.tell('sale.completed', { id: 'order-1', buyer, items: [{ id: 'lifetime', quantity: 1 }] });
  const page = await dashboard.open(tenant.owner, `/connections/${shop.id}`);
  await button(page, 'Show the problems').click();
  const sales = page.getByRole('table', { name: 'Sales' });
  await sales.getByText('Not mapped').waitFor();
  expect(new URL(page.url()).searchParams.get('problem')).toBe('any');
  await sales.getByRole('button', { name: 'Ada Lovelace' }).click();
  await dialog(page, 'Sale').getByText('The license does not match yet').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await sales.getByRole('button', { name: 'Map lifetime' }).click();
  const form = dialog(page, 'Add offer');
  expect(await form.getByLabel('Item ID').inputValue()).toBe('lifetime');
  await form.getByLabel('Name').fill('Lifetime');
  await choosePolicy(page, 'Pro, yearly');
  await form.getByRole('button', { name: 'Add offer' }).click();
  await form.waitFor({ state: 'detached' });
  await runTenantJobs(dashboard.app);
  await page.getByRole('tab', { name: 'Sales' }).click();
  await page.getByRole('table', { name: 'Sales' }).getByRole('link', { name: 'License' }).waitFor();
  await page.getByText('problem to solve').waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Messages' }).click();
  await page
    .getByRole('table', { name: 'Messages' })
    .getByText(/^Issued/)
    .waitFor();
});

test('a viewer sees sales and messages and is offered no change, and an admin of the platform works on a phone', async () => {
  const shop = await connectShop(dashboard.app, tenant, 'Fourth shop');
  await offerItems(shop, { pro: {} });
  await shop.tell('sale.completed', { id: 'order-2', buyer, items: [{ id: 'pro', quantity: 1 }] });
  const account = await addAccount(dashboard.app, tenant, 'viewer');
  const viewer = await dashboard.open(account, `/connections/${shop.id}?tab=messages`);
  await viewer.getByRole('table', { name: 'Messages' }).getByText('Applied').waitFor();
  await viewer.getByRole('button', { name: 'sale.completed' }).click();
  await dialog(viewer, 'Message').getByText('Message id').waitFor();
  expect(await viewer.getByText('As the shop sent it').count()).toBe(0);
  for (const name of ['Send a test sale', 'More actions']) expect(await button(viewer, name).count()).toBe(0);
  const page = await dashboard.open(dashboard.admin, `/admin/tenants/${tenant.id}/connections/${shop.id}`, narrow);
  await page.getByRole('table', { name: 'Sales' }).getByText('Ada Lovelace').waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

test('a connection is disabled, enabled, renamed and deleted, and its licenses stay', async () => {
  const shop = await connectShop(dashboard.app, tenant, 'Old shop');
  const page = await dashboard.open(tenant.owner, `/connections/${shop.id}`);
  const choose = async (name: string) => {
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Disable');
  await button(page, 'Disable connection').click();
  await page.getByText('This connection receives nothing').waitFor();
  await expectAccessible(page);
  await button(page, 'Enable connection').click();
  await page.getByText('Nothing is mapped yet').waitFor();
  await choose('Edit');
  await dialog(page, 'Edit connection').getByLabel('Name').fill('Renamed shop');
  await expectAccessible(page);
  await button(page, 'Save connection').click();
  await heading(page, 'Renamed shop').waitFor();
  dashboard.expectFailure(new RegExp(`^404 /api/v1/tenant/connections/${shop.id}`));
  await choose('Delete');
  await dialog(page, 'Delete connection').getByRole('textbox').fill('Renamed shop');
  await button(page, 'Delete connection').click();
  await heading(page, 'Shops').waitFor();
});

test('an owner compares a shop, applies one difference and then all of them, and sees what is left', async () => {
  const other = await dashboard.newTenant('Compared');
  const stripe = imitateStripe([{ id: 'sub_1', email: 'ada@example.com' }, { id: 'sub_2' }, { id: 'sub_3' }]);
  Object.assign(dashboard.app.services, { shopFetch: stripe.fetch });
  const fields = { provider: 'stripe', name: 'Web shop', api_key: 'rk_test_1' };
  const { id } = created(await other.asOwner('POST', '/connections', fields));
  await offerItems({ id, tenant: other }, { pro: {} });
  const page = await dashboard.open(other.owner, `/connections/${id}?tab=comparison`);
  await page.getByText('Not compared yet').waitFor();
  await button(page, 'Compare now').first().click();
  await page.getByText('Comparing').waitFor();
  await runTenantJobs(dashboard.app);
  const differences = page.getByRole('table', { name: 'Differences' });
  await differences.getByText('sub_1', { exact: true }).waitFor();
  await expectAccessible(page);
  await differences.getByRole('button', { name: 'Apply the difference of Ada Lovelace' }).first().click();
  await differences.getByText('Applied').first().waitFor();
  expect((await other.asOwner('GET', '/licenses')).body.data).toHaveLength(1);
  await button(page, 'Apply all').click();
  await runTenantJobs(dashboard.app);
  await button(page, 'Apply all').waitFor({ state: 'detached' });
  expect((await other.asOwner('GET', '/licenses')).body.data).toHaveLength(3);
});

test('a comparison that waits for its shop is cancelled, and does not say that everything matches', async () => {
  const other = await dashboard.newTenant('Impatient');
  const stripe = imitateStripe();
  stripe.next.push(() => new Response('', { status: 429, headers: { 'retry-after': '3600' } }));
  Object.assign(dashboard.app.services, { shopFetch: stripe.fetch });
  const fields = { provider: 'stripe', name: 'Busy shop', api_key: 'rk_test_1' };
  const { id } = created(await other.asOwner('POST', '/connections', fields));
  await other.asOwner('POST', `/connections/${id}/comparisons`);
  const page = await dashboard.open(other.owner, `/connections/${id}?tab=comparison`);
  await page.getByText('0 sales read, no difference so far.').waitFor();
  await button(page, 'Cancel comparison').click();
  await page.getByText('The comparison was cancelled.').waitFor();
  await page.getByText('0 sales read, no difference found until then.').waitFor();
  expect(await button(page, 'Cancel comparison').count()).toBe(0);
  await expectAccessible(page);
});
