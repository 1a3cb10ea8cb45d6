import { beforeAll, expect, test } from 'vitest';
import {
  type BillingTenant,
  createSubscriber,
  monthlyAndYearly,
  offerPlan,
} from '../../server/test/commerce/buyers.ts';
import { card, sandboxOf } from '../../server/test/payments/sandbox-data.ts';
import { createAdmin } from '../../server/test/support/accounts.ts';
import { button, expectAccessible, heading, useDashboard } from './support/screen.ts';

const dashboard = useDashboard({ PAYMENT_PROVIDER: 'sandbox' });
let debtor: BillingTenant;

beforeAll(async () => {
  const { app } = dashboard;
  debtor = await createSubscriber(app, dashboard.admin, await offerPlan(app, dashboard.admin, monthlyAndYearly(3000)));
  const { payments, sandbox } = sandboxOf(app);
  const subscription = await payments.findSubscription(await debtor.subscriptionId());
  await sandbox.changeCard(subscription?.customerId ?? '', card('failsLater'));
  await sandbox.advanceClock({ to: subscription?.currentPeriodEndsAt ?? '' });
  await debtor.settle();
});

test('an admin creates a plan with money of any number of decimals, changes it, archives it and deletes it', async () => {
  const page = await dashboard.open(dashboard.admin, '/admin/catalog');
  await button(page, 'New plan').click();
  const form = page.getByRole('dialog', { name: 'New plan' });
  await form.getByRole('button', { name: 'Create plan' }).click();
  await form.getByText('Enter a name.').waitFor();
  await form.getByLabel('Name').fill('Global');
  await form.getByLabel('Code').fill('global');
  for (const [number, currency, amount] of [
    [1, 'usd', '49.9'],
    [2, 'jpy', '4900'],
    [3, 'kwd', '15.125'],
  ] as const) {
    await form.getByRole('button', { name: 'Add price' }).click();
    const price = form.getByRole('group', { name: `Price ${number}` });
    await price.getByLabel('Currency').fill(currency);
    await price.getByLabel('Amount').fill(amount);
  }
  await form.getByLabel('Licenses').fill('500');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create plan' }).click();
  await form.waitFor({ state: 'detached' });
  const { body } = await dashboard.app.request({
    method: 'GET',
    url: '/api/v1/admin/catalog/plans?code=global',
    headers: dashboard.admin.auth,
  });
  expect(body.data[0]).toMatchObject({ limits: { licenses: 500, members: null } });
  expect(body.data[0].prices.map(({ amount }: { amount: number }) => amount).sort()).toEqual(
    [15125, 4900, 4990].sort(),
  );

  await page.getByRole('link', { name: /^Global/ }).click();
  await heading(page, 'Global').waitFor();
  await page.getByLabel('Members').fill('7');
  await button(page, 'Save').click();
  await expect.poll(async () => (await readPlan(body.data[0].id)).limits.members).toBe(7);
  await expectAccessible(page);
  await button(page, 'Archive plan').click();
  await page.getByText('Archived').waitFor();
  await button(page, 'Delete plan').click();
  await page.getByLabel(/^Type global/).fill('global');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete plan' }).click();
  await heading(page, 'Catalog').waitFor();
  await page.getByRole('link', { name: /^Free/ }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: /^Global/ }).count()).toBe(0);
});

async function readPlan(id: string) {
  const url = `/api/v1/admin/catalog/plans/${id}`;
  return (await dashboard.app.request({ method: 'GET', url, headers: dashboard.admin.auth })).body.data;
}

test('an admin without a billing role reads an explanation, and no request of the page is refused', async () => {
  const page = await dashboard.open(await createAdmin(dashboard.app, 'admin'), '/admin/billing');
  await page.getByText('Your role does not include billing').waitFor();
  await expectAccessible(page);
  await page.goto('/admin/dunning');
  await page.getByText('Your role does not include billing').waitFor();
  await page.goto('/admin/invoices?status=open');
  await page.getByRole('table', { name: 'Invoices' }).getByRole('link').first().click();
  await page.getByText('need the role billing admin').waitFor();
  await expect.poll(() => button(page, 'Void invoice').count()).toBe(0);
});

test('a billing_readonly admin sees every figure and no write', async () => {
  const page = await dashboard.open(await createAdmin(dashboard.app, 'billing_readonly'), '/admin/billing');
  await page.getByText('Monthly recurring revenue').waitFor();
  await expect.poll(() => button(page, 'Grant credit').count()).toBe(0);
  await page.getByRole('tab', { name: 'Provider events' }).click();
  await page.getByRole('table', { name: 'Provider events' }).getByText('invoice.payment_failed').first().waitFor();
  await expect.poll(() => button(page, /^Replay/).count()).toBe(0);
  await page.getByRole('tab', { name: 'Sandbox' }).click();
  await page.getByText('You need the role billing admin or super admin to advance the clock').waitFor();
});

test('a billing admin grants a credit, replays an event, reads who was allowed what, and advances the clock', async () => {
  const billingAdmin = await createAdmin(dashboard.app, 'billing_admin');
  const page = await dashboard.open(billingAdmin, '/admin/billing');
  await page.getByText('Monthly recurring revenue').waitFor();
  const tabs = ['Revenue', 'Provider events', 'Authorization log', 'Sandbox'];
  expect(await page.getByRole('tab').allTextContents()).toEqual(tabs);
  await expectAccessible(page);
  await button(page, 'Grant credit').click();
  const form = page.getByRole('dialog', { name: 'Grant credit' });
  await form.getByRole('combobox', { name: 'Tenant' }).fill('Acme');
  await page.getByRole('option', { name: 'Acme' }).click();
  await form.getByLabel('Amount').fill('12.50');
  await form.getByLabel('Reason').fill('Outage');
  await form.getByRole('button', { name: 'Grant credit' }).click();
  await page.getByRole('status').filter({ hasText: 'Granted $12.50' }).waitFor();

  await page.goto('/admin/billing?tab=events');
  const failed = page.getByRole('row').filter({ hasText: 'invoice.payment_failed' }).first();
  await failed.getByRole('button', { name: /^Replay/ }).click();
  await failed
    .getByText('now')
    .or(failed.getByText(/second/))
    .last()
    .waitFor();
  await page.getByRole('tab', { name: 'Authorization log' }).click();
  await page.getByRole('row').filter({ hasText: '/replay' }).getByText('Allowed').first().waitFor();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Sandbox' }).click();
  const before = await page.getByRole('definition').getByRole('time').getAttribute('datetime');
  await button(page, 'Advance clock').click();
  await expect
    .poll(() => page.getByRole('definition').getByRole('time').getAttribute('datetime'))
    .toSatisfy((after: string) => Date.parse(after) - Date.parse(before ?? '') >= 86_400_000);
});

test('a billing admin retries an overdue payment, is told why it failed, and voids the invoice', async () => {
  dashboard.expectFailure(/^402 .*\/retry$/);
  const page = await dashboard.open(await createAdmin(dashboard.app, 'billing_admin'), '/admin/dunning');
  await button(page, 'Actions on Acme').waitFor();
  await expectAccessible(page);
  await button(page, 'Actions on Acme').click();
  await page.getByRole('menuitem', { name: 'Retry payment' }).click();
  const retry = page.getByRole('dialog', { name: 'Retry payment' });
  await retry.getByRole('button', { name: 'Retry payment' }).click();
  await retry.getByRole('alert').getByText('declined').waitFor();
  await retry.getByRole('button', { name: 'Cancel' }).click();
  await button(page, 'Actions on Acme').click();
  await page.getByRole('menuitem', { name: 'Open invoice' }).click();
  await button(page, 'Void invoice').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Void invoice' }).click();
  await page.getByText('This invoice was voided.').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await heading(page, 'Subscription of Acme').waitFor();
  await expectAccessible(page);
});
