import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../../tools/browser/chromium.ts';
import { booleanFlag, createFlag } from '../../../server/test/operations/flags.ts';
import { type Account, createAdmin, type TestTenant } from '../../../server/test/support/accounts.ts';
import { useViewers } from '../support/navigation.ts';
import { expectAccessible, useDashboard } from '../support/screen.ts';

const dashboard = useDashboard();
const show = useViewers(() => dashboard.origin);
let tenant: TestTenant;
let flag: string;
let admin: Account;
let auditor: Account;

beforeAll(async () => {
  const { app } = dashboard;
  tenant = await dashboard.newTenant('Acme');
  flag = await createFlag(app, dashboard.admin, 'new-checkout', booleanFlag());
  admin = await createAdmin(app, 'admin');
  auditor = await createAdmin(app, 'auditor');
});

test.each([
  ['/admin/tenants', ['New tenant']],
  ['/admin/catalog', ['New plan']],
  ['/admin/feature-flags', ['New feature flag']],
  ['/admin/feature-flags/{flag}', ['Delete feature flag']],
  ['/admin/users/{user}', ['Disable user']],
  ['/admin/tenants/{tenant}', ['Suspend', 'Change limits']],
  ['/admin/tenants/{tenant}/licenses', ['New license']],
  ['/admin/tenants/{tenant}/api-keys', ['New API key']],
  ['/admin/tenants/{tenant}/webhook-endpoints', ['New webhook']],
  ['/admin/tenants/{tenant}/notifications', ['New notification']],
  ['/admin/tenants/{tenant}/settings', ['Save']],
] as const)('an auditor reads %s, is not offered %j, and reads why; an admin is', async (path, actions) => {
  const url = path.replace('{tenant}', tenant.id).replace('{user}', tenant.owner.id).replace('{flag}', flag);
  const offer = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name }).first();
  const offering = await show(admin, url);
  for (const action of actions) await offer(offering, action).waitFor();
  const page = await show(auditor, url);
  await page.getByText(/[Aa]s an auditor/).waitFor();
  for (const action of actions) expect(await offer(page, action).count()).toBe(0);
  await expectAccessible(page);
});
