import { expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import type { TestTenant } from '../../server/test/support/accounts.ts';
import { created, newLicense, newPolicy, newProduct } from '../../server/test/support/licensing-catalog.ts';
import { button, dialog, expectAccessible, heading, link, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

const rows = (page: Page, caption: string) => page.getByRole('table', { name: caption }).locator('tbody tr');

/** Creates licenses of two customers. */
async function issueTo(tenant: TestTenant) {
  const policy = await newPolicy(tenant, {
    product_id: (await newProduct(tenant)).id,
    name: 'Yearly',
    duration_days: 365,
  });
  const issue = async (holder: object) =>
    created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id, holder }));
  await issue({ name: 'Ada Byron', email: 'ADA@example.com' });
  await issue({ name: 'Grace Hopper', email: 'grace@example.com' });
  return await issue({ name: 'Ada Lovelace', email: 'ada@example.com' });
}

test('a customer is found, edited, exported and erased, and the licenses stay', async () => {
  dashboard.expectFailure(/^404 .*customers/);
  const tenant = await dashboard.newTenant('Quill');
  const page = await dashboard.open(tenant.owner, '/customers');
  await page.getByText('No customers yet').waitFor();
  await expectAccessible(page);
  const license = await issueTo(tenant);
  await page.goto(`${dashboard.origin}/licenses/${license.id}`);
  await link(page, 'ada@example.com').click();
  await heading(page, 'Ada Lovelace').waitFor();
  await expect.poll(() => rows(page, 'Licenses of this customer').count()).toBe(2);
  await expectAccessible(page);
  await tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'desk', name: 'Desk of Ada' });
  await page.reload();
  await page.getByRole('table', { name: 'Devices of this customer' }).getByText('Desk of Ada').waitFor();
  await page.getByLabel('New note').fill('Prefers mail.');
  await button(page, 'Add note').click();
  const notes = page.getByRole('table', { name: 'Notes about this customer' });
  await notes.getByText('Prefers mail.').waitFor();
  expect(await page.getByLabel('New note').inputValue()).toBe('');
  await page.getByLabel('New note').fill('Wants an invoice.');
  await button(page, 'Add note').click();
  await expect.poll(() => notes.locator('tbody tr').count()).toBe(2);
  await notes.getByRole('button', { name: 'Delete' }).last().click();
  await dialog(page, 'Delete note').getByRole('button', { name: 'Delete note' }).click();
  await expect.poll(() => notes.locator('tbody tr').count()).toBe(1);
  await expectAccessible(page);
  await button(page, 'Edit customer').click();
  const form = dialog(page, 'Edit customer');
  await form.getByLabel('Name').fill('Ada King');
  await form.getByLabel('Email').fill('ada.king@example.com');
  await expectAccessible(page);
  await button(page, 'Save changes').click();
  await heading(page, 'Ada King').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export personal data').click()]);
  expect(download.suggestedFilename()).toBe('customer-ada.king@example.com.json');
  await page.goto(`${dashboard.origin}/customers`);
  await page.getByLabel('Search name, email or key').fill('king');
  await page.getByText('ada.king@example.com').waitFor();
  await expect.poll(() => rows(page, 'Customers').count()).toBe(1);
  await page.getByRole('link', { name: /Ada King/ }).click();
  await button(page, 'Erase customer').click();
  const question = dialog(page, 'Erase customer');
  expect(await question.getByRole('button', { name: 'Erase customer' }).isDisabled()).toBe(true);
  await question.getByLabel(/to confirm/).fill('ada.king@example.com');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Erase customer' }).click();
  await heading(page, 'Customers').waitFor();
  await expect.poll(() => rows(page, 'Customers').count()).toBe(1);
  const { body } = await tenant.asOwner('GET', `/licenses/${license.id}`);
  expect(body.data).toMatchObject({ status: 'active', holder: { name: null, email: null } });
});

test('a product offers a trial, and a trial is converted on the page of its license', async () => {
  const tenant = await dashboard.newTenant('Trying');
  const product = await newProduct(tenant, { name: 'Editor' });
  await newPolicy(tenant, { product_id: product.id, name: 'Trial', duration_days: 14, max_activations: 1 });
  await newPolicy(tenant, { product_id: product.id, name: 'Yearly', duration_days: 365 });
  const page = await dashboard.open(tenant.owner, `/products/${product.id}`);
  await button(page, 'Edit product').click();
  await dialog(page, 'Edit product').getByLabel('Trial policy').click();
  await page.getByRole('option', { name: 'Trial' }).click();
  await expectAccessible(page);
  await button(page, 'Save changes').click();
  await dialog(page, 'Edit product').waitFor({ state: 'hidden' });
  const trial = await tenant.asApplication('/trials', { product: product.code, fingerprint: 'laptop' });
  expect(trial.status).toBe(201);
  const { id } = (await tenant.asOwner('GET', `/licenses?key=${trial.body.data.license_key}`)).body.data[0];
  await page.goto(`${dashboard.origin}/licenses/${id}`);
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: 'Convert trial' }).click();
  const convert = dialog(page, 'Convert trial');
  await convert.getByLabel('Policy').click();
  await page.getByRole('option', { name: 'Yearly' }).click();
  await expectAccessible(page);
  await convert.getByRole('button', { name: 'Convert trial' }).click();
  await convert.waitFor({ state: 'detached' });
  await button(page, 'All details').click();
  await page.getByRole('region', { name: 'Details' }).getByText('Yearly').waitFor();
  await page.goto(`${dashboard.origin}/overview`);
  const figures = page.getByRole('region', { name: 'Trials' });
  await figures.getByText('(100%)').waitFor();
  await expectAccessible(page);
});

test('the page of a customer fits a narrow window', async () => {
  const tenant = await dashboard.newTenant('Reading');
  await newLicense(tenant, {}, { holder: { name: 'Ada Lovelace', email: 'ada@example.com' } });
  const page = await dashboard.open(tenant.owner, '/customers/ada%40example.com', narrow);
  await heading(page, 'Ada Lovelace').waitFor();
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
});
