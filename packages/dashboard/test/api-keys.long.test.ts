import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { createUser, joinTenant, type TestTenant } from '../../server/test/support/accounts.ts';
import { expectAccessible, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Keys');
});

/** Expects that nothing which a later user of the browser could read contains the secret. */
async function expectForgotten(page: Page, secret: string): Promise<void> {
  expect(await page.content()).not.toContain(secret);
  expect(page.url()).not.toContain(secret);
  const stored = () => JSON.stringify({ ...localStorage, ...sessionStorage, ...history.state });
  expect(await page.evaluate(stored)).not.toContain(secret);
  const databases = await page.evaluate(async () => [
    ...(await indexedDB.databases()).map(({ name }) => name),
    ...(await caches.keys()),
  ]);
  expect(databases).toEqual([]);
  await page.goBack();
  await page.goForward();
  await page.getByRole('table').waitFor();
  expect(await page.content()).not.toContain(secret);
}

const validateWith = (key: string) =>
  dashboard.app.request({
    method: 'POST',
    url: '/api/v1/integration/licenses/UNKNOWN/validate',
    headers: { 'x-api-key': key },
  });

describe('API keys', () => {
  test('an API key is created with its limits, shown once, and refused from the moment it is revoked', async () => {
    const page = await dashboard.open(tenant.owner, '/api-keys');
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'New API key' }).click();
    const form = page.getByRole('dialog', { name: 'New API key' });
    await form.getByRole('button', { name: 'Create API key' }).click();
    await form.getByText('Enter a name for the key.').waitFor();
    await form.getByLabel('Name').fill('Editor 5 for macOS');
    await form.getByLabel('Write usage').uncheck();
    await form.getByLabel('Allowed CIDRs').fill('127.0.0.0/8\nnowhere');
    await form.getByLabel('Rate limit per minute').fill('600');
    await expectAccessible(page);
    dashboard.expectFailure(/^422 \/api\/v1\/tenant\/api-keys$/);
    await form.getByRole('button', { name: 'Create API key' }).click();
    await form.getByText(/Enter an address or a network/).waitFor();
    await form.getByLabel('Allowed CIDRs').fill('127.0.0.0/8');
    await form.getByRole('button', { name: 'Create API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    const secret = dialog.getByLabel('API key', { exact: true });
    await secret.waitFor();
    const key = (await secret.textContent()) ?? '';
    expect((await validateWith(key)).status).toBe(200);
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expectForgotten(page, key);

    const row = page.getByRole('row', { name: /Editor 5 for macOS/ });
    await row.getByText('1 network, 600 per minute').waitFor();
    await row.getByText('Ada Lovelace').waitFor();
    await row.getByRole('button', { name: 'Revoke Editor 5 for macOS' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke API key' });
    await question.getByText(/is refused\s+immediately/).waitFor();
    const revoke = question.getByRole('button', { name: 'Revoke API key' });
    expect(await revoke.isDisabled()).toBe(true);
    await question.getByRole('textbox').fill('Editor 5 for macOS');
    await revoke.click();
    await row.getByText('Revoked').waitFor();
    expect((await validateWith(key)).status).toBe(401);
    await expect.poll(() => row.getByRole('button').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Active' }).click();
    await row.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('status')).toBe('active');
  });

  test('an API key is replaced by one with the same limits, which is shown once, and both work for the chosen time', async () => {
    const body = { name: 'Replaced', scopes: ['licenses:validate'], rate_limit_per_minute: 600 };
    const old = (await tenant.asOwner('POST', '/api-keys', body)).body.data;
    const page = await dashboard.open(tenant.owner, '/api-keys');
    await page.getByRole('button', { name: 'Replace Replaced' }).click();
    const form = page.getByRole('dialog', { name: 'Replace API key' });
    await form.getByText(old.hint).waitFor();
    await form.getByRole('combobox', { name: 'Both keys work for' }).click();
    await page.getByRole('option', { name: 'One week' }).click();
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Replace API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    const key = (await dialog.getByLabel('API key', { exact: true }).textContent()) ?? '';
    expect([(await validateWith(old.key)).status, (await validateWith(key)).status]).toEqual([200, 200]);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expectForgotten(page, key);
    await expect.poll(() => page.getByRole('row', { name: /Replaced.*Active/ }).count()).toBe(2);
    await page
      .getByRole('row', { name: /Replaced/ })
      .getByText('600 per minute')
      .first()
      .waitFor();
  });

  test('a viewer sees the API keys and is offered no change', async () => {
    const viewer = await createUser(dashboard.app);
    await joinTenant(dashboard.app, viewer, tenant.id, 'viewer');
    const page = await dashboard.open(viewer, '/api-keys?panel=new');
    await page.getByRole('row', { name: /Test key/ }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /New API key|Replace|Revoke/ }).count()).toBe(0);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });
});

test('an access token is created with a role, shown once and revoked, and an admin of the platform can only revoke', async () => {
  const page = await dashboard.open(tenant.owner, '/access-tokens');
  await page.getByText('No access tokens yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New access token' }).first().click();
  const form = page.getByRole('dialog', { name: 'New access token' });
  await form.getByLabel('Name').fill('Shop');
  await form.getByRole('radio', { name: 'Admin' }).check();
  await form.getByRole('button', { name: 'Create access token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New access token' });
  const secret = dialog.getByLabel('access token', { exact: true });
  await secret.waitFor();
  const token = (await secret.textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Shop.*Admin.*Ada Lovelace/ }).waitFor();
  await expectForgotten(page, token);
  const use = () =>
    dashboard.app.request({
      method: 'GET',
      url: '/api/v1/tenant/products',
      headers: { authorization: `Bearer ${token}` },
    });
  expect((await use()).status).toBe(200);

  const platform = await dashboard.open(dashboard.admin, `/admin/tenants/${tenant.id}/access-tokens`);
  await platform.getByRole('button', { name: 'Revoke Shop' }).click();
  await expect.poll(() => platform.getByRole('button', { name: 'New access token' }).count()).toBe(0);
  const question = platform.getByRole('dialog', { name: 'Revoke access token' });
  await question.getByRole('textbox').fill('Shop');
  await question.getByRole('button', { name: 'Revoke access token' }).click();
  await platform.getByRole('row', { name: /Shop/ }).getByText('Revoked').waitFor();
  expect((await use()).status).toBe(401);
});
