import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { type TestTenant, testPassword } from '../../server/test/support/accounts.ts';
import { newLicense } from '../../server/test/support/licensing-catalog.ts';
import { button, dialog, expectAccessible, heading, signIn, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Acme');
  await newLicense(tenant, {}, { holder: { name: 'Grace Hopper', email: 'grace@example.com' } });
});

const waysOut: readonly (readonly [name: string, leave: (page: Page) => Promise<unknown>])[] = [
  ['Escape', (page) => page.keyboard.press('Escape')],
  ['the close button', (page) => dialog(page, 'New product').getByRole('button', { name: 'Close' }).click()],
  ['Cancel', (page) => dialog(page, 'New product').getByRole('button', { name: 'Cancel' }).click()],
  ['Back', (page) => page.goBack()],
];

test('every way out of a drawer asks before it discards input', async () => {
  const page = await dashboard.open(tenant.owner, '/products');
  for (const [name, leave] of waysOut) {
    await button(page, 'New product').first().click();
    const form = dialog(page, 'New product');
    await form.getByLabel('Name').fill('Editor');
    await leave(page);
    const question = dialog(page, 'Discard your input?');
    await question.getByRole('button', { name: 'Close' }).waitFor();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name').inputValue(), name).toBe('Editor');
    await leave(page);
    await question.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('panel'), name).toBe(false);
  }
});

test('a proposed code is replaced by what the person types', async () => {
  const page = await dashboard.open(tenant.owner, '/products?panel=new');
  const form = dialog(page, 'New product');
  await form.getByLabel('Name').fill('Editor Pro');
  await page.keyboard.press('Tab');
  await page.keyboard.type('pro');
  expect(await form.getByLabel('Code').inputValue()).toBe('pro');
});

test('the palette opens what Enter asked for before its results arrived, and offers actions and every kind of object', async () => {
  const page = await dashboard.open(tenant.owner, '/overview');
  await page.keyboard.press('ControlOrMeta+k');
  const palette = dialog(page, 'Command palette');
  const input = palette.getByRole('textbox');
  const top = (await input.boundingBox())?.y;
  await input.fill('new lic');
  await palette.getByRole('button', { name: 'New license' }).waitFor();
  expect((await input.boundingBox())?.y).toBe(top);
  await input.fill('');
  await page.keyboard.type('grace');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/(licenses|customers)\//);

  await page.keyboard.press('ControlOrMeta+k');
  await input.fill('new batch');
  await palette.getByRole('button', { name: 'New batch' }).waitFor();
  await input.fill('zzzz');
  await palette.getByText('No results for “zzzz”.').waitFor();
  dashboard.expectFailure(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/);
  await page.context().setOffline(true);
  await input.fill('yyyy');
  await palette.getByText('The search failed.').waitFor();
  await expect.poll(() => palette.getByText('No results for').count()).toBe(0);
});

test('a screen whose code cannot be loaded offline says so, and opens when the network is back', async () => {
  dashboard.expectFailure(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|^console: /);
  // A new window: others may have loaded the code before.
  const page = await dashboard.openWindow();
  await signIn(page, tenant.owner);
  await page.goto('/overview');
  await page.waitForLoadState('networkidle');
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await heading(page, 'This page could not be loaded').waitFor();
  await expectAccessible(page);
  await button(page, 'Try again').click();
  await heading(page, 'This page could not be loaded').waitFor();
  await page.context().setOffline(false);
  await heading(page, 'Webhooks').waitFor();
});

test('data that cannot be read again stays on the screen with its time, until the network is back', async () => {
  dashboard.expectFailure(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/);
  const page = await dashboard.open(tenant.owner, '/overview');
  await page.getByRole('group', { name: 'Active licenses' }).waitFor();
  await page.context().setOffline(true);
  const banner = page.getByRole('status').filter({ hasText: /^You are offline\. Showing data of \d+:\d\d/ });
  await banner.waitFor();
  await page.getByRole('group', { name: 'Active licenses' }).waitFor();
  await expectAccessible(page);
  await page.context().setOffline(false);
  await banner.waitFor({ state: 'detached' });
});

test('a session that ends while a form is filled in asks for the password over it, and the input is saved afterwards', async () => {
  dashboard.expectFailure(/^401 /);
  const { owner } = tenant;
  const page = await dashboard.open(owner, '/products?panel=new');
  const form = dialog(page, 'New product');
  await form.getByLabel('Name').fill('Compiler');
  const headers = owner.auth;
  await dashboard.app.request({ method: 'POST', url: '/api/v1/auth/logout', headers });
  await button(page, 'Create product').click();
  const login = dialog(page, 'Log in again');
  await login.getByText('Nothing that you entered is lost').waitFor();
  await expectAccessible(page);
  await login.getByLabel('Email').fill(owner.email);
  await login.getByLabel('Password', { exact: true }).fill(testPassword);
  await login.getByRole('button', { name: 'Log in' }).click();
  await login.waitFor({ state: 'detached' });
  expect(await form.getByLabel('Name').inputValue()).toBe('Compiler');
  await button(page, 'Create product').click();
  await form.waitFor({ state: 'detached' });
  await page.getByText('Product created.').waitFor();
  await page.getByText('Compiler').first().waitFor();
});
