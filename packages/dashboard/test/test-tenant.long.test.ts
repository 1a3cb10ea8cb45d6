import { beforeAll, expect, test } from 'vitest';
import { createAdmin, createTenant, type TestTenant } from '../../server/test/support/accounts.ts';
import { button, expectAccessible, heading, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await createTenant(dashboard.app, await createAdmin(dashboard.app), 'Vendor');
  const product = await tenant.asOwner('POST', '/products', { code: 'editor', name: 'Editor' });
  const product_id = product.body.data.id;
  const terms = { code: 'pro', name: 'Pro', duration_months: 12, max_activations: 3 };
  const policy = await tenant.asOwner('POST', '/policies', { product_id, ...terms });
  await tenant.asOwner('POST', '/licenses', { policy_id: policy.body.data.id });
});

const open = (path: string) => dashboard.open({ token: tenant.owner.token }, path);

test('a test copy is created, says so on every screen, gives the live tenant a policy, and is deleted', async () => {
  const page = await open('/settings');
  await page.getByRole('button', { name: 'Create test copy' }).click();
  await page.getByRole('button', { name: 'Open Vendor (test)' }).click();
  const banner = page.getByRole('complementary', { name: 'Test tenant' });
  await banner.getByText('Your customers cannot see anything in it.', { exact: false }).waitFor();
  await page.goto('/policies');
  await banner.waitFor();
  await page.getByRole('link', { name: 'Pro', exact: true }).click();
  await page.getByRole('textbox', { name: 'Devices', exact: true }).fill('7');
  await button(page, 'Save changes').click();
  await page.getByText('Changes saved.').waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy to live tenant' }).click();
  const question = page.getByRole('dialog', { name: 'Copy to live tenant' });
  await question.getByRole('row', { name: 'Devices 3 7' }).waitFor();
  await question.getByText('1 license follows.').waitFor();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Copy to live tenant' }).click();
  await page.getByText('Policy copied to the live tenant').waitFor();
  const policies = await tenant.asOwner('GET', '/policies');
  expect(policies.body.data[0]).toMatchObject({ code: 'pro', max_activations: 7 });

  await page.goto('/billing');
  await page.getByText('A test tenant is free and has limits of its own.', { exact: false }).waitFor();
  expect(await button(page, 'Change plan').count()).toBe(0);
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Delete test tenant' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete test tenant' }).click();
  await heading(page, 'Overview').waitFor();
  await expect.poll(() => banner.count()).toBe(0);
});

test('licenses are issued one after the other, and a missing policy says so', async () => {
  const page = await open('/licenses?panel=new');
  const drawer = page.getByRole('dialog', { name: 'New license' });
  // The only product is chosen already.
  await expect.poll(() => drawer.getByRole('combobox', { name: 'Product' }).inputValue()).toBe('Editor');
  const submit = button(page, 'Create license');
  await submit.click();
  await page.getByText('Choose the policy of the license.').waitFor();
  // The open list would cover the reason.
  expect(await page.getByRole('option').count()).toBe(0);
  await drawer.getByRole('combobox', { name: 'Policy' }).click();
  await page.getByRole('option', { name: 'Pro' }).click();
  await page.getByText('Valid for 1 year', { exact: false }).waitFor();
  await page.getByRole('checkbox', { name: 'Create another' }).check();
  expect(await submit.isVisible()).toBe(true);
  await submit.click();
  await page.getByText(/^License created: /).waitFor();
  await expect.poll(() => drawer.getByRole('combobox', { name: 'Policy' }).inputValue()).toBe('Pro');
  await page.getByRole('checkbox', { name: 'Create another' }).uncheck();
  await button(page, 'Create license').click();
  await page.waitForURL(/\/licenses\/[0-9a-f-]{36}/);
  const licenses = await tenant.asOwner('GET', '/licenses');
  expect(licenses.body.data).toHaveLength(3);
});

test('an owner closes the tenant after typing its name, and is told what happens to its data', async () => {
  const closing = await createTenant(dashboard.app, await createAdmin(dashboard.app), 'Closing');
  dashboard.expectFailure(/^403 \/api\/v1\/tenant\//);
  const page = await dashboard.open({ token: closing.owner.token }, '/settings');
  await button(page, 'Close tenant').click();
  const question = page.getByRole('dialog', { name: 'Close tenant' });
  const confirm = question.getByRole('button', { name: 'Close tenant' });
  expect(await confirm.isDisabled()).toBe(true);
  await question.getByRole('textbox').fill('Closing');
  await expectAccessible(page);
  await confirm.click();
  await heading(page, 'This tenant is closed').waitFor();
  await page.goto('/account');
  await button(page, 'Delete account').waitFor();
});

test('an API key is renamed and bound to a product', async () => {
  await tenant.asOwner('POST', '/api-keys', { name: 'Old name' });
  const page = await open('/api-keys');
  await page.getByRole('button', { name: 'Edit Old name' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Editor 6');
  await page.getByRole('combobox', { name: 'Product' }).click();
  await page.getByRole('option', { name: 'Editor' }).click();
  await expectAccessible(page);
  await button(page, 'Save changes').click();
  await page.getByRole('button', { name: 'Edit Editor 6' }).waitFor();
  const keys = await tenant.asOwner('GET', '/api-keys');
  const changed = keys.body.data.find(({ name }: { name: string }) => name === 'Editor 6');
  expect(changed.product_id).not.toBeNull();
});
