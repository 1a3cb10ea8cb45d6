import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import type { Demo } from '../../server/src/commands/demo/demo-file.ts';
import { prepareDemo } from '../../server/src/commands/demo/prepare.ts';
import { createAdmin, createTenant, createUser, freshAddress, joinTenant } from '../../server/test/support/accounts.ts';
import { button, expectAccessible, heading, useDashboard, type WindowOptions } from './support/screen.ts';

const dashboard = useDashboard({ PAYMENT_PROVIDER: 'sandbox' });
let demo: Demo;
let ownerToken: string;

beforeAll(async () => {
  demo = await prepareDemo(dashboard.app.services);
  const answer = await dashboard.app.request({
    method: 'POST',
    url: '/api/auth/login',
    remoteAddress: freshAddress(),
    payload: { ...demo.user, ability: 'tenant' },
  });
  ownerToken = answer.body.data.access_token;
});

async function create(
  resource: 'products' | 'policies' | 'licenses',
  payload: object,
): Promise<{ readonly id: string }> {
  const headers = { authorization: `Bearer ${ownerToken}` };
  const answer = await dashboard.app.request({ method: 'POST', url: `/api/v1/tenant/${resource}`, headers, payload });
  return answer.body.data;
}

const open = (path: string, token = ownerToken, options: WindowOptions = {}) =>
  dashboard.open({ token }, path, options);

const summary = (page: Page) => page.getByRole('region', { name: 'Summary' }).getByRole('status');

/** Types the name of the object into the question, and confirms. */
async function confirmDeletion(page: Page, action: string, name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: action });
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: action }).click();
}

/** An owner of a tenant without anything in it. */
async function newVendor() {
  const admin = await createAdmin(dashboard.app);
  const tenant = await createTenant(dashboard.app, admin);
  const make = (resource: string, payload: object) => tenant.asOwner('POST', `/${resource}`, payload);
  return { token: tenant.owner.token, create: make };
}

/** Chooses one of the further actions of a page. */
async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

describe('the catalog of a tenant', () => {
  test('a used policy is archived instead of deleted, leaves the lists, and comes back', async () => {
    const product = await create('products', { code: 'notes', name: 'Notes' });
    const policy = await create('policies', { product_id: product.id, code: 'used', name: 'Used plan' });
    const license = await create('licenses', { policy_id: policy.id });
    // The service refuses the deletion after its licenses are deleted, too.
    await dashboard.app.request({
      method: 'DELETE',
      url: `/api/v1/tenant/licenses/${license.id}`,
      headers: { authorization: `Bearer ${ownerToken}` },
    });
    const page = await open(`/policies/${policy.id}`);
    await heading(page, 'Used plan').waitFor();
    await choose(page, 'Delete policy');
    const question = page.getByRole('dialog', { name: 'Archive policy' });
    await question.getByText('You cannot delete this policy, because licenses were issued under it').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Archive policy' }).click();
    await page.getByText('Archived', { exact: true }).waitFor();
    await page.goto(`/policies?product_id=${product.id}`);
    await page.getByText('No policies match').waitFor();
    await page.goto(`/policies?product_id=${product.id}&archived=only`);
    await page.getByRole('link', { name: 'Used plan' }).click();
    await choose(page, 'Unarchive policy');
    await expect.poll(() => page.getByText('Archived', { exact: true }).count()).toBe(0);
  });

  test('a policy is duplicated with its terms, under another name and code', async () => {
    const product = await create('products', { code: 'draw', name: 'Draw' });
    const terms = { duration_months: 18, max_activations: 4, lease_seconds: 5400, offline_ttl_seconds_max: 172_800 };
    const policy = await create('policies', { product_id: product.id, code: 'team', name: 'Team', ...terms });
    const page = await open(`/policies/${policy.id}`);
    await choose(page, 'Duplicate policy');
    await heading(page, 'New policy').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Team (copy)');
    // Every length of time is in the unit that a person would say.
    for (const [field, value, unit] of [
      ['Valid for', '18', 'months'],
      ['Release a device after', '90', 'minutes'],
    ] as const) {
      expect(await page.getByRole('textbox', { name: field, exact: true }).inputValue()).toBe(value);
      expect(await page.getByRole('combobox', { name: `Unit of ${field.toLowerCase()}` }).inputValue()).toBe(unit);
    }
    await page.getByRole('button', { name: 'More options' }).click();
    expect(await page.getByRole('textbox', { name: 'Works offline for' }).inputValue()).toBe('2');
    await expectAccessible(page);
    await button(page, 'Create policy').click();
    await heading(page, 'Team (copy)').waitFor();
    expect(await summary(page).textContent()).toMatch(/^Valid for 18 months, on up to 4 devices/);
  });

  test('the oldest of sixty products is found by its name, and the list of policies names it', async () => {
    const vendor = await newVendor();
    const { id } = (await vendor.create('products', { code: 'oldest', name: 'Almanac' })).body.data;
    for (let index = 0; index < 60; index += 1) {
      await vendor.create('products', { code: `newer-${index}`, name: `Newer ${index}` });
    }
    const page = await open('/policies/new?template=perpetual', vendor.token);
    await page.getByRole('combobox', { name: 'Product' }).fill('Alma');
    await page.getByRole('option', { name: 'Almanac' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('For ever');
    await button(page, 'Create policy').click();
    await heading(page, 'For ever').waitFor();
    await page.goto('/policies');
    await page
      .getByRole('row', { name: /For ever/ })
      .getByText('Almanac')
      .waitFor();
    await page.getByRole('combobox', { name: 'Product' }).fill('Alma');
    await page.getByRole('option', { name: 'Almanac' }).click();
    await page.waitForURL(`**/policies?product_id=${id}`);
    await expectAccessible(page);
  });

  test('a metered policy needs a metered entitlement, and a viewer gets no form', async () => {
    const viewer = await createUser(dashboard.app);
    await joinTenant(dashboard.app, viewer, demo.tenant.id, 'viewer');
    const asViewer = await open('/policies/new', viewer.token);
    await asViewer.getByText('You cannot create policies').waitFor();
    expect(await asViewer.getByRole('button', { name: 'Create policy' }).count()).toBe(0);

    const vendor = await newVendor();
    await vendor.create('products', { code: 'api', name: 'API' });
    const page = await open('/policies/new?template=metered', vendor.token);
    await page.getByText('you have no metered entitlement yet', { exact: false }).waitFor();
    await expectAccessible(page);
    await button(page, 'Create policy').click();
    await page.getByText('Add a metered entitlement.').waitFor();
    await vendor.create('entitlements', { code: 'calls', name: 'Calls', type: 'metered' });
    // More than one page of the API: the form finds the oldest one too.
    for (let index = 0; index < 100; index += 1) {
      await vendor.create('entitlements', { code: `newer-${index}`, name: `Newer ${index}`, type: 'boolean' });
    }
    await page.reload();
    await page.getByRole('button', { name: /^Metered/ }).click();
    expect(await summary(page).textContent()).toContain('Includes 1,000 calls per month.');
    await button(page, 'Create policy').click();
    await heading(page, 'Metered').waitFor();
  });

  test('a product and its policy are created; the sentence about the policy follows every change', async () => {
    const page = await open('/products');
    await page.getByRole('button', { name: 'New product' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Photo Editor');
    expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('photo-editor');
    await button(page, 'Create product').click();
    await heading(page, 'Photo Editor').waitFor();

    await page.getByRole('button', { name: 'New policy' }).first().click();
    await heading(page, 'New policy').waitFor();
    await page.getByRole('button', { name: /^Trial/ }).click();
    expect(await summary(page).textContent()).toBe(
      'Valid for 14 days from first validation, on up to 1 device. Each device must be activated.',
    );
    await page.getByRole('textbox', { name: 'Valid for' }).fill('30');
    await page.getByRole('textbox', { name: 'Grace period' }).fill('3');
    expect(await summary(page).textContent()).toMatch(/^Valid for 30 days .* then 3 days of grace\./);
    await page.getByRole('button', { name: 'Add entitlement' }).click();
    await expectAccessible(page);
    await button(page, 'Create policy').click();
    await heading(page, 'Trial').waitFor();

    await page.getByRole('textbox', { name: 'Devices', exact: true }).fill('2');
    expect(await summary(page).textContent()).toContain('on up to 2 devices');
    await button(page, 'Save changes').click();
    await page.getByText('Changes saved.').waitFor();
    await page.reload();
    await heading(page, 'Trial').waitFor();
    expect(await page.getByRole('textbox', { name: 'Devices', exact: true }).inputValue()).toBe('2');
  });

  test('a duplicate code is refused at its field, and what is in use is deleted only after what uses it', async () => {
    dashboard.expectFailure(/^409 \/api\/v1\/tenant\/(products|policies)/);
    const product = await create('products', { code: 'sound-editor', name: 'Sound Editor' });
    await create('policies', { product_id: product.id, code: 'trial', name: 'Trial' });
    const page = await open(`/policies/new?template=trial&product_id=${product.id}`);
    await button(page, 'Create policy').click();
    await page.getByText('Another policy of the product has this code. Choose another one.').waitFor();
    const code = page.getByRole('textbox', { name: 'Code' });
    expect([await code.getAttribute('aria-invalid'), await code.inputValue()]).toEqual(['true', 'trial']);

    await page.goto(`/products/${product.id}`);
    // What is in use is not deleted: the question offers to archive it, before anybody types its name.
    await choose(page, 'Delete product');
    const question = page.getByRole('dialog', { name: 'Archive product' });
    await question.getByText('You cannot delete this product, because it has policies.').waitFor();
    expect(await question.getByRole('textbox').count()).toBe(0);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('table', { name: 'Policies of this product' }).getByRole('link', { name: 'Trial' }).click();
    await choose(page, 'Delete policy');
    await confirmDeletion(page, 'Delete policy', 'Trial');
    await heading(page, 'Policies').waitFor();
    await page.goto(`/products/${product.id}`);
    await choose(page, 'Delete product');
    await confirmDeletion(page, 'Delete product', 'Sound Editor');
    await page.getByRole('link', { name: 'Editor', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Sound Editor' }).count()).toBe(0);
  });

  test('another trial of a product is allowed to an address, and the page says if it had none', async () => {
    const product = await create('products', { code: 'tried-editor', name: 'Tried Editor' });
    const policy = await create('policies', { product_id: product.id, code: 'trial', name: 'Trial' });
    await dashboard.app.request({
      method: 'PUT',
      url: `/api/v1/tenant/products/${product.id}`,
      headers: { authorization: `Bearer ${ownerToken}` },
      payload: { trial_policy_id: policy.id },
    });
    const page = await open(`/products/${product.id}`);
    await choose(page, 'Allow another trial');
    const dialog = page.getByRole('dialog', { name: 'Allow another trial' });
    await dialog.getByRole('button', { name: 'Allow trial' }).click();
    await dialog.getByText('Enter an email address or a fingerprint.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('textbox', { name: 'Email address' }).fill('ada@example.com');
    await dialog.getByRole('button', { name: 'Allow trial' }).click();
    await page.getByText('Nobody with this address or device had a trial.').waitFor();
  });

  test('an entitlement is created, changed and deleted; one that a policy grants stays', async () => {
    dashboard.expectFailure(/^409 \/api\/v1\/tenant\/entitlements/);
    const page = await open('/entitlements', ownerToken, { colorScheme: 'dark' });
    await page.getByRole('button', { name: 'New entitlement' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Beta access');
    expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('beta-access');
    await expectAccessible(page);
    await button(page, 'Create entitlement').click();
    const table = page.getByRole('table', { name: 'Entitlements' });
    await table.getByText('beta-access').waitFor();
    await page.getByRole('button', { name: 'Edit Beta access' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Early access');
    await button(page, 'Save changes').click();
    await table.getByText('Early access').waitFor();
    await page.getByRole('button', { name: 'Delete Early access' }).click();
    await confirmDeletion(page, 'Delete entitlement', 'Early access');
    await table.getByText('beta-access').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete Renders' }).click();
    await confirmDeletion(page, 'Delete entitlement', 'Renders');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await table.getByText('renders', { exact: true }).count()).toBe(1);
  });

  test('usage is charted per entitlement, and the URL has its filters', async () => {
    const page = await open('/usage');
    await page.getByRole('table', { name: 'Usage of Renders over time' }).waitFor();
    await page.getByRole('table', { name: 'Usage of API calls over time' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('combobox', { name: 'Entitlement' }).click();
    await page.getByRole('option', { name: 'Renders' }).click();
    await page.getByRole('table', { name: 'Usage of API calls over time' }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Interval' }).click();
    await page.getByRole('option', { name: 'Per month' }).click();
    await page.waitForURL(/entitlement=renders.*interval=month/);
    await page.reload();
    await page.getByRole('table', { name: 'Usage of Renders over time' }).waitFor();
    const rows = page.getByRole('table', { name: 'Usage per license' }).getByRole('row');
    // Until the data arrive, the table has eight rows without content.
    await expect.poll(() => rows.count()).toBeGreaterThan(10);
    await page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    await page.waitForURL(/from=2020-01-01.*to=2020-01-31/);
    await page.getByText('No usage matches').waitFor();
    await page.reload();
    await page.getByText('No usage matches').waitFor();
    await button(page, 'Reset filters').click();
    await expect.poll(() => rows.count()).toBeGreaterThan(10);
  });

  test('a viewer reads a policy as facts, without any way to change it', async () => {
    const viewer = await createUser(dashboard.app);
    await joinTenant(dashboard.app, viewer, demo.tenant.id, 'viewer');
    const page = await open('/policies?q=pro', viewer.token, { width: 360, height: 740 });
    await expect.poll(() => page.getByRole('button', { name: 'New policy' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Pro, yearly' }).click();
    await heading(page, 'Pro, yearly').waitFor();
    expect(await summary(page).textContent()).toContain('Valid for 1 year from first activation, on up to 2 devices');
    for (const name of ['Save changes', 'Delete policy', 'Remove demo data']) {
      await expect.poll(() => page.getByRole('button', { name }).count()).toBe(0);
    }
    await expectAccessible(page);
  });

  test('one click and a confirmation remove the demo data with its tenant', async () => {
    const page = await open('/products');
    await page.getByRole('link', { name: 'Editor', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove demo data' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove demo data' });
    await dialog.getByText('This deletes the tenant and everything in it').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Remove demo data' }).click();
    await page.waitForURL(/\/welcome$/);
    expect(await page.getByText('This tenant contains demo data.').count()).toBe(0);
  });
});
