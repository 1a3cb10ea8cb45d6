import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { addAccount } from '../../server/test/accounts/members.ts';
import { type Account, createAdmin, type TestTenant } from '../../server/test/support/accounts.ts';
import { goTo, useViewers, watchRequests } from './support/navigation.ts';
import { button, expectAccessible, expectAccessibleLook, heading, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
const show = useViewers(() => dashboard.origin);
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Acme');
});

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const tabsOf = (page: Page) => page.getByRole('navigation', { name: /^Screens of / });

/** Expects that the window shows the whole menu, and that it has at most twelve entries. Returns their names. */
async function expectShortMenu(page: Page): Promise<string[]> {
  const entries = menuOf(page).getByRole('link');
  await entries.first().waitFor();
  const names = await entries.allTextContents();
  expect(names.length).toBeLessThanOrEqual(12);
  const frame = await menuOf(page).locator('..').boundingBox();
  for (const entry of await entries.all()) {
    const box = await entry.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual((frame?.y ?? 0) + (frame?.height ?? 0));
  }
  return names;
}

describe('the menu has at most twelve entries, all in sight in a window of 1280 × 800:', () => {
  const laptop = { width: 1280, height: 800 };
  const everyday = ['Licenses', 'Customers', 'Products', 'Devices and usage'];
  const administration = ['Shops', 'Emails', 'Portal', 'Webhooks', 'Developers'];

  test.each([
    ['owner', ['Overview', ...everyday, ...administration, 'Members and billing', 'Settings']],
    ['admin', ['Overview', ...everyday, ...administration, 'Members', 'Settings']],
    ['viewer', ['Overview', ...everyday, ...administration, 'Members', 'Settings']],
    ['support', [...everyday, 'Sent emails']],
  ] as const)('for the role %s', async (role, names) => {
    const account = role === 'owner' ? tenant.owner : await addAccount(dashboard.app, tenant, role);
    expect(await expectShortMenu(await dashboard.open(account, '/licenses', laptop))).toEqual(names);
  });

  test.each(['admin', 'auditor', 'billing_admin', 'super_admin'] as const)('for the platform role %s', async (role) => {
    const admin: Account = await createAdmin(dashboard.app, role);
    const page = await dashboard.open(admin, '/admin/tenants', laptop);
    await expectShortMenu(page);
    await goTo(watchRequests(page), `/admin/tenants/${tenant.id}/licenses`);
    const names = await expectShortMenu(page);
    expect(names).toEqual(['Tenant', ...everyday, ...administration, 'Members', 'Settings']);
  });
});

describe('each address that was an entry of the menu opens its screen, with its entry and its tab marked:', () => {
  test.each([
    ['/overview', 'Overview', 'Overview'],
    ['/notifications', 'Notifications', 'Overview'],
    ['/licenses', 'Licenses', 'Licenses'],
    ['/batches', 'Batches', 'Licenses'],
    ['/bulk-operations', 'Bulk operations', 'Licenses'],
    ['/customers', 'Customers', 'Customers'],
    ['/holder-mails', 'Sent emails', 'Emails'],
    ['/settings/mails', 'Email templates', 'Emails'],
    ['/activations', 'Devices', 'Devices and usage'],
    ['/usage', 'Usage', 'Devices and usage'],
    ['/products', 'Products', 'Products'],
    ['/policies', 'Policies', 'Products'],
    ['/entitlements', 'Entitlements', 'Products'],
    ['/api-keys', 'API keys', 'Developers'],
    ['/access-tokens', 'Access tokens', 'Developers'],
    ['/developers', 'Developer tools', 'Developers'],
    ['/connections', 'Shops', 'Shops'],
    ['/webhook-endpoints', 'Webhooks', 'Webhooks'],
    ['/members', 'Members', 'Members and billing'],
    ['/billing', 'Billing', 'Members and billing'],
    ['/audit-logs', 'Audit log', 'Settings'],
    ['/portal-settings', 'Portal', 'Portal'],
    ['/settings', 'Settings', 'Settings'],
    ['/admin/subscriptions', 'Subscriptions', 'Subscriptions'],
    ['/admin/dunning', 'Dunning', 'Subscriptions'],
    ['/admin/jobs', 'Jobs', 'Jobs and mails'],
    ['/admin/mails', 'Mails', 'Jobs and mails'],
    ['/admin/tenants/{id}/overview', 'Overview', 'Tenant'],
    ['/admin/tenants/{id}/settings/mails', 'Email templates', 'Emails'],
  ])('%s', async (path, screen, entry) => {
    const account = path.startsWith('/admin') ? dashboard.admin : tenant.owner;
    const page = await show(account, path.replace('{id}', tenant.id));
    await heading(page, screen).waitFor();
    const marked = page.locator('[aria-current="page"]');
    expect(await menuOf(page).getByRole('link').and(marked).allTextContents()).toEqual([entry]);
    const tab = await tabsOf(page).getByRole('link').and(marked).allTextContents();
    expect(tab).toEqual((await tabsOf(page).count()) === 0 && screen === entry ? [] : [screen]);
  });

  test('a page of one object marks the entry of its list, and shows no tabs', async () => {
    const page = await show(tenant.owner, '/settings/mails/license.issued');
    const marked = menuOf(page).getByRole('link').and(page.locator('[aria-current="page"]'));
    expect(await marked.allTextContents()).toEqual(['Emails']);
    expect(await tabsOf(page).count()).toBe(0);
  });
});

test('on a phone, a person goes from the menu to an entry and from tab to tab with the keyboard', async () => {
  const page = await dashboard.open(tenant.owner, '/licenses', narrow);
  await button(page, 'Navigation').click();
  await expectShortMenu(page);
  await expectAccessible(page);
  await menuOf(page).getByRole('link', { name: 'Developers' }).press('Enter');
  await heading(page, 'API keys').waitFor();
  const tab = (name: string) => tabsOf(page).getByRole('link', { name });
  await tab('API keys').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await heading(page, 'Access tokens').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await heading(page, 'Developer tools').waitFor();
  expect(await tab('Developer tools').getAttribute('aria-current')).toBe('page');
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessibleLook(page);
});
