import { expect, test } from 'vitest';
import type { Page } from '../../../../tools/browser/chromium.ts';
import { booleanFlag, createFlag } from '../../../server/test/operations/flags.ts';
import { createAdmin } from '../../../server/test/support/accounts.ts';
import { expectAccessible, useDashboard } from '../support/screen.ts';

const dashboard = useDashboard();

test.each([
  ['/admin/tenants', 'New tenant'],
  ['/admin/catalog', 'New plan'],
  ['/admin/feature-flags', 'New feature flag'],
  ['/admin/feature-flags/{flag}', 'Delete feature flag'],
  ['/admin/users/{user}', 'Disable user'],
  ['/admin/tenants/{tenant}', 'Suspend'],
  ['/admin/tenants/{tenant}', 'Change limits'],
  ['/admin/tenants/{tenant}/licenses', 'New license'],
  ['/admin/tenants/{tenant}/api-keys', 'New API key'],
  ['/admin/tenants/{tenant}/webhook-endpoints', 'New webhook'],
  ['/admin/tenants/{tenant}/notifications', 'New notification'],
  ['/admin/tenants/{tenant}/settings', /^Save/],
] as const)('an auditor reads %s, is not offered "%s", and reads why; an admin is', async (path, action) => {
  const { app } = dashboard;
  const tenant = await dashboard.newTenant('Acme');
  const flag = await createFlag(app, dashboard.admin, `flag-${tenant.id}`, booleanFlag());
  const url = path.replace('{tenant}', tenant.id).replace('{user}', tenant.owner.id).replace('{flag}', flag);
  const offer = (page: Page) => page.getByRole('main').getByRole('button', { name: action }).first();
  await offer(await dashboard.open(await createAdmin(app, 'admin'), url)).waitFor();
  const page = await dashboard.open(await createAdmin(app, 'auditor'), url);
  await page.getByText(/[Aa]s an auditor/).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await offer(page).count()).toBe(0);
  await expectAccessible(page);
});
