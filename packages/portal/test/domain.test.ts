import { expect, test } from 'vitest';
import { button, heading } from '../../dashboard/test/support/screen.ts';
import { proveDomain } from '../../server/test/holders/portal-data.ts';
import { settled, usePortal } from './support/portal.ts';

const suite = usePortal();

test("at a vendor's own domain the page begins at the root: a link logs in, and no address has a handle", async () => {
  const vendor = await suite.newVendor();
  const holder = await suite.newHolder(vendor);
  await suite.newHolder(vendor, { email: holder.email });
  // Browsers lead every name under `localhost` to this machine.
  await proveDomain(suite.app, vendor.tenant, 'portal.vendor.localhost');
  const { port } = new URL(suite.origin);
  const domain = `http://portal.vendor.localhost:${port}`;
  suite.expectFailure(new RegExp(`^other origin: ${domain}/`));
  const page = await suite.openWindow();
  const address = await suite.linkFor(vendor, holder);
  expect(address).toMatch(/^https:\/\/portal\.vendor\.localhost#token=/);
  await page.goto(`${domain}/${new URL(address).hash}`);
  await button(page, 'Log in').click();
  await heading(page, 'Your licenses').waitFor();
  expect(page.url()).toBe(`${domain}/`);
  await page.getByRole('link', { name: holder.product }).click();
  await heading(page, holder.product).waitFor();
  expect(page.url()).toBe(`${domain}/licenses/${holder.licenseId}`);
  await page.reload();
  await heading(page, holder.product).waitFor();
  expect(await page.locator('header img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await page.goBack();
  await heading(page, 'Your licenses').waitFor();
  // The session is in the storage of this origin, and the service refuses it at the other one.
  await page.goto(`/portal/${vendor.handle}`);
  await settled(page);
  await page.getByLabel('Email address').waitFor();
});
