import { expect, test } from 'vitest';
import { button, expectAccessible, useDashboard } from './support/screen.ts';

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

test('a domain shows the record that proves it, a check says what is missing, and then since when it is proved', async () => {
  dashboard.expectFailure(/^409 .*\/portal\/domain\/verify$/);
  const tenant = await dashboard.newTenant('Acme');
  let records: string[] = [];
  Object.assign(dashboard.app.services, { resolveTxt: async () => records });
  const page = await dashboard.open(tenant.owner, '/portal-settings');
  const domainField = page.getByRole('textbox', { name: 'Domain' });
  await domainField.fill('Portal.Acme.Example');
  await button(page, 'Save portal').click();
  await page.getByText('Choose an address').waitFor();
  await page.getByLabel('Handle').fill('acme-domain');
  await button(page, 'Save portal').click();
  await page.getByText('_license-portal.portal.acme.example', { exact: true }).waitFor();
  expect(await domainField.inputValue()).toBe('portal.acme.example');
  await button(page, 'Check the record').click();
  await page.getByRole('alert').getByText('There is no TXT record').waitFor();
  await expectAccessible(page);
  const { domain } = (await tenant.asOwner('GET', '/portal')).body.data;
  records = [domain.txt_value];
  await button(page, 'Check the record').click();
  await page.getByText('Proved since').waitFor();
  // The address with the handle still works, and the form still names it.
  await page.getByText(`${dashboard.origin}/portal/acme-domain`, { exact: false }).waitFor();
  await domainField.fill('');
  await button(page, 'Save portal').click();
  await page.getByText('Proved since').waitFor({ state: 'detached' });
  expect((await tenant.asOwner('GET', '/portal')).body.data.domain).toBeNull();
});
