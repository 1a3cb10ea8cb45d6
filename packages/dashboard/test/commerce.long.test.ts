import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { type BillingTenant, createBillingTenant, createSubscriber } from '../../server/test/commerce/buyers.ts';
import { sandboxOf } from '../../server/test/payments/sandbox-data.ts';
import { createAdmin } from '../../server/test/support/accounts.ts';
import { button, dialog, expectAccessible, narrow, useDashboard, type WindowOptions } from './support/screen.ts';

const dashboard = useDashboard({ PAYMENT_PROVIDER: 'sandbox', SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=19' });

beforeAll(async () => {
  for (const [code, name, amount, trial_days] of [
    ['team', 'Team', 3000, 14],
    ['business', 'Business', 9000, 0],
  ] as const) {
    const prices = [{ interval: 'month', currency: 'eur', amount, trial_days }];
    await ask('POST', '/catalog/plans', { code, name, prices });
  }
});

async function ask(method: 'GET' | 'POST', path: string, payload?: object) {
  const answer = await dashboard.app.request({
    method,
    url: `/api/v1/admin${path}`,
    headers: dashboard.admin.auth,
    ...(payload && { payload }),
  });
  if (answer.status >= 400) throw new Error(answer.text);
  return answer.body.data;
}

/** Returns a tenant in the free trial of the plan Team, without a card. */
async function createTrialer(): Promise<BillingTenant> {
  const trialer = await createBillingTenant(dashboard.app, dashboard.admin);
  const { body } = await trialer.bill('PUT', '/plan', { plan_code: 'team', interval: 'month' });
  await sandboxOf(dashboard.app).sandbox.pay(/cs_\w+/.exec(body.data.checkout_url)?.[0] ?? '', null);
  await trialer.settle();
  return trialer;
}

/** Returns the tenant of a subscription of the plan Business, and the subscription's id. */
async function subscribe() {
  const subscriber = await createSubscriber(dashboard.app, dashboard.admin, { code: 'business', id: '' });
  const [{ id }] = await ask('GET', `/subscriptions?tenant_id=${subscriber.tenant.id}`);
  return { subscriber, id };
}

const openAdmin = (path: string, account = dashboard.admin, options: WindowOptions = {}) =>
  dashboard.open(account, path, options);

const openOwner = (buyer: BillingTenant, path = '/billing') => dashboard.open(buyer.tenant.owner, path);

test('an admin creates a coupon, applies it to a subscription, and archives it; a coupon that cannot be redeemed is explained at its field', async () => {
  dashboard.expectFailure(/^(409|422) \/api\/v1\/admin\/(subscriptions|catalog)/);
  const { id } = await subscribe();
  const page = await openAdmin('/admin/catalog?tab=coupons', dashboard.admin, narrow);
  await button(page, 'New coupon').first().click();
  const form = dialog(page, 'New coupon');
  await form.getByRole('button', { name: 'Create coupon' }).click();
  await form.getByText('Enter a percentage above 0').waitFor();
  // At 360 px the window's own header is beside the drawer's.
  await expectAccessible(page);
  await form.getByLabel('Code').fill('spring');
  await form.getByLabel('Percent off').fill('12.5');
  await form.getByRole('combobox', { name: 'Duration' }).click();
  await page.getByRole('option', { name: 'A number of months' }).click();
  await form.getByLabel('Duration months').fill('3');
  await form.getByLabel('Max redemptions').fill('1');
  await form.getByRole('button', { name: 'Create coupon' }).click();
  await page.getByText('12.5% off the invoices of 3 months').first().waitFor();

  await page.goto(`/admin/subscriptions/${id}`);
  await button(page, 'Apply coupon').click();
  const apply = dialog(page, 'Apply coupon');
  await apply.getByLabel('Coupon').fill('unknown');
  await apply.getByRole('button', { name: 'Apply coupon' }).click();
  await apply.getByText('Enter the code of an existing coupon.').waitFor();
  await expectAccessible(page);
  await apply.getByLabel('Coupon').fill('spring');
  await apply.getByRole('button', { name: 'Apply coupon' }).click();
  await apply.waitFor({ state: 'detached' });
  await page.getByText('12.5% off until').waitFor();

  const other = await subscribe();
  await page.goto(`/admin/subscriptions/${other.id}`);
  await button(page, 'Apply coupon').click();
  await apply.getByLabel('Coupon').fill('spring');
  await apply.getByRole('button', { name: 'Apply coupon' }).click();
  await apply.locator('[aria-invalid="true"]').waitFor();
  expect(await apply.getByLabel('Coupon').inputValue()).toBe('spring');

  await page.goto('/admin/catalog?tab=coupons');
  await page.getByRole('link', { name: /^SPRING/ }).click();
  await page.getByText('1 of 1').waitFor();
  await button(page, 'Archive coupon').click();
  await dialog(page, 'Archive coupon').getByRole('button', { name: 'Archive coupon' }).click();
  await page.getByText('Archived').waitFor();
  await expectAccessible(page);
});

test('an admin cancels a subscription at the end of its period, resumes it, and changes its plan without proration', async () => {
  const { id } = await subscribe();
  const page = await openAdmin(`/admin/subscriptions/${id}`);
  await button(page, 'Cancel subscription').click();
  const cancel = dialog(page, 'Cancel subscription');
  await cancel.getByText('Nothing is deleted.').waitFor();
  await expectAccessible(page);
  await cancel.getByRole('radio', { name: 'Now' }).check();
  await cancel.getByText(/^Acme moves to the Free plan immediately/).waitFor();
  await cancel.getByRole('radio', { name: /^With the paid period/ }).check();
  await cancel.getByRole('button', { name: /^Cancel on / }).click();
  await button(page, 'Resume subscription').click();
  await dialog(page, 'Resume subscription').getByRole('button', { name: 'Resume subscription' }).click();
  await page.getByText('Renews', { exact: true }).waitFor();

  await button(page, 'Change plan').click();
  const change = dialog(page, 'Change plan');
  await change.getByRole('button', { name: 'Change plan' }).click();
  await change.getByText('Choose another plan or interval.').waitFor();
  await change.getByRole('combobox', { name: 'Plan' }).click();
  await page.getByRole('option', { name: 'Team' }).click();
  await change.getByRole('switch').uncheck();
  await change.getByText(/The customer is not charged before/).waitFor();
  await expectAccessible(page);
  await change.getByRole('button', { name: 'Change plan' }).click();
  // The dialog names the new price too.
  await change.waitFor({ state: 'detached' });
  await page.getByText('€30.00 per month').waitFor();
  expect(await ask('GET', `/subscriptions/${id}`)).toMatchObject({ plan_code: 'team', amount: 3000 });
});

test('an owner in a trial without a card reads what follows, and an admin extends the trial', async () => {
  const trialer = await createTrialer();
  const owner = await openOwner(trialer);
  await owner.getByText('Add a payment method to keep your plan').waitFor();
  await owner.getByText('There is no invoice after the trial, because there is no payment method.').waitFor();
  await expectAccessible(owner);
  const [{ id, trial_ends_at }] = await ask('GET', '/subscriptions?status=trialing');
  const page = await openAdmin(`/admin/subscriptions/${id}`, dashboard.admin, narrow);
  await page.getByText('There is no payment method').waitFor();
  await button(page, 'Extend trial').click();
  const extend = dialog(page, 'Extend trial');
  await extend.getByLabel('Trial ends at').fill('2020-01-01T00:00');
  await extend.getByRole('button', { name: 'Extend trial' }).click();
  await extend.getByText('Enter a time after the current end of the trial.').waitFor();
  await expectAccessible(page);
  const later = new Date(Date.parse(trial_ends_at) + 10 * 86_400_000).toISOString();
  await extend.getByLabel('Trial ends at').fill(later.slice(0, 16));
  await extend.getByRole('button', { name: 'Extend trial' }).click();
  await extend.waitFor({ state: 'detached' });
  const extended = await ask('GET', `/subscriptions/${id}`);
  expect(Date.parse(extended.trial_ends_at)).toBeGreaterThan(Date.parse(trial_ends_at) + 8 * 86_400_000);
});

test('an admin writes an invoice whose sum is exact in three decimals, finalizes and sends it; another draft is deleted', async () => {
  const { subscriber } = await subscribe();
  const page = await openAdmin(`/admin/invoices?panel=new&tenant_id=${subscriber.tenant.id}`, dashboard.admin, narrow);
  const form = dialog(page, 'New invoice');
  await form.getByRole('combobox', { name: 'Tenant' }).waitFor();
  await form.getByLabel('Currency').fill('kwd');
  const first = form.getByRole('group', { name: 'Line 1' });
  await first.getByLabel('Description').fill('Consulting');
  await first.getByLabel('Quantity').fill('3');
  await first.getByLabel('Unit price').fill('1.0055');
  await button(page, 'Create draft').click();
  await form.getByText('such as 12345.678').waitFor();
  await expectAccessible(page);
  await first.getByLabel('Unit price').fill('1.005');
  await button(page, 'Add line').click();
  const second = form.getByRole('group', { name: 'Line 2' });
  await second.getByLabel('Description').fill('Goodwill');
  await second.getByLabel('Unit price').fill('-0.001');
  await form
    .getByRole('status')
    .filter({ hasText: /3\.014/ })
    .waitFor();
  await button(page, 'Create draft').click();
  await page.getByRole('heading', { level: 1, name: 'Draft invoice' }).waitFor();
  await expectAccessible(page);
  await button(page, 'Finalize invoice').click();
  await dialog(page, 'Finalize invoice').getByRole('button', { name: 'Finalize invoice' }).click();
  await page.getByRole('heading', { level: 1, name: /^Invoice / }).waitFor();
  await button(page, 'Send invoice').click();
  await dialog(page, 'Send invoice').getByRole('button', { name: 'Send invoice' }).click();
  await page.getByText('Sent at').waitFor();
  const [made] = await ask('GET', `/invoices?tenant_id=${subscriber.tenant.id}`);
  expect(made).toMatchObject({ currency: 'kwd', subtotal: 3014, status: 'open', collection_method: 'send' });

  const draft = await ask('POST', '/invoices', {
    tenant_id: subscriber.tenant.id,
    currency: 'eur',
    lines: [{ description: 'By mistake', quantity: 1, unit_amount: 1 }],
    due_in_days: 0,
  });
  await page.goto(`/admin/invoices/${draft.id}`);
  await button(page, 'Delete draft').click();
  await dialog(page, 'Delete draft').getByRole('button', { name: 'Delete draft' }).click();
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
});

test('an admin refunds a part of an invoice, never more than is left, and the owner downloads the credit note', async () => {
  const { subscriber } = await subscribe();
  const [{ id }] = await ask('GET', `/invoices?tenant_id=${subscriber.tenant.id}`);
  const page = await openAdmin(`/admin/invoices/${id}`);
  await button(page, 'Refund invoice').click();
  const refund = dialog(page, 'Refund invoice');
  await refund.getByRole('radio', { name: 'A part' }).check();
  await refund.getByRole('textbox', { name: 'Amount', exact: true }).fill('90.01');
  await refund.getByRole('button', { name: 'Refund', exact: true }).click();
  await refund.getByText('At most €90.00 is left.').waitFor();
  await refund.getByText('Enter a reason').waitFor();
  await expectAccessible(page);
  await refund.getByRole('textbox', { name: 'Amount', exact: true }).fill('19.99');
  await refund.getByLabel('Reason').fill('Outage');
  await refund.getByRole('button', { name: 'Refund €19.99' }).click();
  await refund.getByText('€19.99 was refunded.').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    refund.getByRole('button', { name: 'Download PDF' }).click(),
  ]);
  expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-');
  await refund.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Partly refunded').waitFor();

  const owner = await openOwner(subscriber, `/billing/invoices/${id}`);
  const note = owner.getByRole('table', { name: 'Credit notes of the invoice' }).getByRole('row').nth(1);
  await note.getByRole('cell', { name: 'Outage', exact: true }).waitFor();
  await expectAccessible(owner);
  const [own] = await Promise.all([
    owner.waitForEvent('download'),
    note.getByRole('button', { name: /^Download PDF of / }).click(),
  ]);
  expect(own.suggestedFilename()).toMatch(/^credit-note-[0-9A-F]{8}-CN-0001\.pdf$/);
});

test('an owner chooses the country by its name, and a wrong VAT id is refused at its field', async () => {
  dashboard.expectFailure(/^422 \/api\/v1\/billing\/details/);
  const { subscriber } = await subscribe();
  const page = await openOwner(subscriber, '/billing?panel=details');
  const form = dialog(page, 'Edit billing details');
  await form.getByLabel('VAT or tax ID').fill('DE12');
  await form.getByRole('switch', { name: 'Address on invoices' }).check();
  await form.getByLabel('Street and number').fill('Hauptstraße 1');
  await form.getByLabel('City').fill('Berlin');
  await form.getByRole('combobox', { name: 'Country' }).fill('Germ');
  await page.getByRole('option', { name: 'Germany' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => form.getByLabel('VAT or tax ID').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await form.getByLabel('VAT or tax ID').fill('DE136695976');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByText('DE136695976').waitFor();
  await page.getByRole('table', { name: 'Lines of the next invoice' }).getByText('Tax').waitFor();
});

test('an admin without the write level of billing is offered no action on subscriptions and invoices', async () => {
  const { id, subscriber } = await subscribe();
  const [invoice] = await ask('GET', `/invoices?tenant_id=${subscriber.tenant.id}`);
  const page = await openAdmin(`/admin/subscriptions/${id}`, await createAdmin(dashboard.app, 'billing_readonly'));
  await page.getByText('You need the role billing admin').waitFor();
  expect(await button(page, /^(Cancel|Apply|Change)/).count()).toBe(0);
  await page.goto(`/admin/invoices/${invoice.id}`);
  await page.getByText('need the role billing admin').waitFor();
  expect(await button(page, /^(Refund|Send)/).count()).toBe(0);
  await page.goto('/admin/invoices');
  await page.getByRole('table', { name: 'Invoices' }).waitFor();
  expect(await button(page, 'New invoice').count()).toBe(0);
});
