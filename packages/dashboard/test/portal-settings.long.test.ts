import { expect, test } from 'vitest';
import { expectAccessible, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

test("the preview of the portal is the portal's own page, and follows the form before it is saved", async () => {
  const tenant = await dashboard.newTenant('Acme');
  const page = await dashboard.open(tenant.owner, '/portal-settings');
  const preview = page.frameLocator('iframe[title^="Preview of the portal"]');
  // Nothing in it can be used, so its parts have no roles.
  await preview.locator('h1', { hasText: 'Photo Editor' }).waitFor();
  expect(await preview.locator('[inert]').count()).toBe(1);
  await page.getByLabel('Display name').fill('Acme Audio');
  await preview.locator('header', { hasText: 'Acme Audio' }).waitFor();
  const replacing = page.getByRole('switch', { name: 'Replace the key' });
  for (const isPermitted of [true, false]) {
    await replacing.setChecked(isPermitted);
    const offered = preview.locator('button', { hasText: 'Replace the key' });
    await expect.poll(() => offered.count()).toBe(isPermitted ? 1 : 0);
  }
  await expectAccessible(page);
  await page.goto('/portal/_preview');
  expect(await page.locator('h1').count()).toBe(0);
});
