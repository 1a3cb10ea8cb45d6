import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import {
  type BillingTenant,
  createBillingTenant,
  createSubscriber,
  monthlyAndYearly,
  type Offer,
} from '../../server/test/commerce/buyers.ts';
import { runTenantJobs } from '../../server/test/jobs/job-rows.ts';
import { card, sandboxOf } from '../../server/test/payments/sandbox-data.ts';
import { createUser, joinTenant } from '../../server/test/support/accounts.ts';
import { payWithCard } from './support/sandbox-page.ts';
import { button, expectAccessible, heading, useDashboard } from './support/screen.ts';

const dashboard = useDashboard({ PAYMENT_PROVIDER: 'sandbox' });
let team: Offer;

beforeAll(async () => {
  team = await offer('team', 'Team', 3000);
  await offer('business', 'Business', 9000);
});

async function offer(code: string, name: string, amount: number): Promise<Offer> {
  const answer = await dashboard.app.request({
    method: 'POST',
    url: '/api/v1/admin/catalog/plans',
    headers: dashboard.admin.auth,
    payload: { code, name, prices: monthlyAndYearly(amount), limits: { licenses: 1000 } },
  });
  return { code, id: answer.body.data.id };
}

const openBilling = ({ tenant }: BillingTenant) => dashboard.open(tenant.owner, '/billing');

test('an owner sees the price of an upgrade before confirming it, and is charged exactly that', async () => {
  const page = await openBilling(await createSubscriber(dashboard.app, dashboard.admin, team));
  await page.getByText('$30.00 per month').waitFor();
  await expectAccessible(page);
  await button(page, 'Change plan').click();
  const panel = page.getByRole('dialog', { name: 'Change plan' });
  await panel.getByRole('radio', { name: 'Business' }).click();
  await panel.getByText('Due now').waitFor();
  await expectAccessible(page);
  // The amount is the difference for the rest of the period, so it is not the full price.
  const confirm = panel.getByRole('button', { name: /^Pay \$[\d.]+ and change to Business$/ });
  const price = /\$[\d.]+/.exec(await confirm.innerText())?.[0] ?? '';
  expect(await panel.getByRole('row', { name: /^Due now/ }).innerText()).toContain(price);
  await confirm.click();
  // The panel names the new price too.
  await panel.waitFor({ state: 'detached' });
  await page.getByText('$90.00 per month').waitFor();

  const newest = page.getByRole('table', { name: 'Invoices' }).getByRole('row').nth(1);
  await newest.getByText(price, { exact: true }).waitFor();
});

test('the card on file is shown with its last digits', async () => {
  const page = await openBilling(await createSubscriber(dashboard.app, dashboard.admin, team));
  await page.getByText('Paid with Visa •••• 4242').waitFor();
});

test('an owner reads an invoice, and gets it as PDF and as a page', async () => {
  const page = await openBilling(await createSubscriber(dashboard.app, dashboard.admin, team));
  await page.getByRole('table', { name: 'Invoices' }).getByRole('row').nth(1).getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: /^Invoice / }).waitFor();
  await expectAccessible(page);
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download PDF').click()]);
  expect(download.suggestedFilename()).toMatch(/^invoice-[0-9A-F]{8}-0001\.pdf$/);
  expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-');
  const [html] = await Promise.all([page.waitForEvent('download'), button(page, 'Download HTML').click()]);
  expect(await readFile(await html.path(), 'utf8')).toContain('USD 30.00');
});

test('an owner cancels and resumes the subscription, and changes the billing details', async () => {
  const page = await openBilling(await createSubscriber(dashboard.app, dashboard.admin, team));
  await button(page, 'Cancel subscription').click();
  const question = page.getByRole('dialog', { name: 'Cancel subscription' });
  await question.getByText(/You keep Team until .*, then move to the Free plan\./).waitFor();
  await question.getByRole('button', { name: 'Keep subscription' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel subscription' }).click();
  await page.getByText('You canceled the subscription.').waitFor();
  await page.getByText(/^Ends \w+ \d/).waitFor();
  await expect.poll(() => page.getByText('Active', { exact: true }).count()).toBe(0);
  await button(page, 'Resume subscription').click();
  await page.getByText('Renews on').waitFor();

  await button(page, 'Edit billing details').click();
  const form = page.getByRole('dialog', { name: 'Edit billing details' });
  await form.getByLabel('Name').fill('Acme GmbH');
  await form.getByLabel('Email').fill('not an address');
  await form.getByRole('switch', { name: 'Address on invoices' }).check();
  await form.getByLabel('Street and number').fill('Hauptstraße 1');
  await form.getByLabel('City').fill('Berlin');
  await form.getByRole('combobox', { name: 'Country' }).fill('Germ');
  await page.getByRole('option', { name: 'Germany' }).click();
  dashboard.expectFailure(/^422 \/api\/v1\/billing\/details/);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.locator('[aria-invalid="true"]').waitFor();
  await expectAccessible(page);
  await form.getByLabel('Email').fill('billing@example.com');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByText('Germany').waitFor();
});

test('a first purchase pays on the page of the provider, and the plan follows without a reload', async () => {
  const buyer = await createBillingTenant(dashboard.app, dashboard.admin);
  const page = await openBilling(buyer);
  await page.getByText('No invoices yet').waitFor();
  await button(page, 'Change plan').click();
  await page.getByRole('radio', { name: 'Team' }).click();
  await button(page, 'Continue to payment').click();
  await payWithCard(page, 'good');
  await page.getByRole('status').filter({ hasText: 'You are now on the Team plan' }).waitFor();
});

test('Pay names a coupon that was typed but is not valid, and the purchase goes through without it', async () => {
  dashboard.expectFailure(/^422 \/sandbox\/checkout/);
  const buyer = await createBillingTenant(dashboard.app, dashboard.admin);
  const page = await openBilling(buyer);
  await button(page, 'Change plan').click();
  await page.getByRole('radio', { name: 'Team' }).click();
  await button(page, 'Continue to payment').click();
  await page.getByLabel('Coupon code').fill('NOTHING');
  await payWithCard(page, 'good');
  await page
    .getByRole('status')
    .getByText('You have not been charged. Check these fields: Coupon code. Correct the coupon code, or remove it')
    .waitFor();
  await page.getByLabel('Coupon code').fill('');
  await page.getByRole('button', { name: /^Pay / }).click();
  await page.getByRole('status').filter({ hasText: 'You are now on the Team plan' }).waitFor();
});

test('a failed renewal is explained, suspends the tenant while somebody works, and a payment restores it', async () => {
  const { app } = dashboard;
  const { payments, sandbox } = sandboxOf(app);
  const buyer = await createSubscriber(app, dashboard.admin, team);
  const subscription = await payments.findSubscription(await buyer.subscriptionId());
  await sandbox.changeCard(subscription?.customerId ?? '', card('failsLater'));
  await sandbox.advanceClock({ to: subscription?.currentPeriodEndsAt ?? '' });
  await buyer.settle();
  const viewer = await createUser(app);
  await joinTenant(app, viewer, buyer.tenant.id, 'viewer');

  const page = await openBilling(buyer);
  const alert = page.getByRole('alert').filter({ hasText: 'Your last payment failed' });
  await alert.getByText('$30.00').waitFor();
  await alert.getByText('Your licenses keep working until').waitFor();
  await expectAccessible(page);

  for (const path of ['/overview', '/licenses', '/settings', '/members']) {
    await page.goto(path);
    const banner = page.getByRole('complementary', { name: 'Failed payment' });
    await banner.getByRole('link', { name: 'Pay now' }).waitFor();
  }
  const { subscription: overdue } = (await buyer.bill('GET', '/overview')).body.data;
  await sandbox.advanceClock({ to: overdue.grace_ends_at });
  await runTenantJobs(app);
  await expect.poll(async () => (await buyer.read()).status).toBe('suspended');
  dashboard.expectFailure(/^403 \/api\/v1\/(tenant|billing)\//);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Products' }).click();
  await heading(page, 'This tenant is suspended').waitFor();
  await page.getByRole('link', { name: 'Pay open invoice' }).waitFor();
  await expectAccessible(page);
  const other = await dashboard.open(viewer, '/overview', { width: 360, height: 740 });
  await other.getByText('Ask an owner of Acme').waitFor();
  await expect.poll(() => other.getByRole('link', { name: 'Pay open invoice' }).count()).toBe(0);

  const payment = await dashboard.openWindow();
  await payment.goto((await page.getByRole('link', { name: 'Pay open invoice' }).getAttribute('href')) ?? '');
  await payWithCard(payment, 'good');
  await payment.getByText('This invoice is paid').waitFor();
  expect(await payment.getByRole('link', { name: 'Go to billing' }).getAttribute('href')).toBe('/billing');
  await runTenantJobs(app);
  await heading(page, 'This tenant is suspended').waitFor({ state: 'detached' });
  await page.goto('/billing');
  await page.getByText('Active', { exact: true }).waitFor();
});
