import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtPages, compressedBytes, firstLoadBytesMax, portalScripts } from '../../../scripts/first-load.ts';
import type { Page } from '../../../tools/browser/chromium.ts';
import { eventually } from '../../../tools/eventually.ts';
import { button, dialog, expectAccessible, heading, narrow } from '../../dashboard/test/support/screen.ts';
import { askPortal, loginMails } from '../../server/test/holders/portal-data.ts';
import { activateDevices, settled, usePortal } from './support/portal.ts';

const suite = usePortal();

const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Returns the addresses of the requests of a page from now on. */
function requestsOf(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  return urls;
}

test('the first load in a foreign language has at most 90 KB of compressed JavaScript', async () => {
  const { handle } = await suite.newVendor();
  const page = await suite.openWindow({ locale: 'de' });
  const loaded = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) loaded.add(pathname.slice(1));
  });
  await page.goto(`/portal/${handle}`);
  await settled(page);
  expect(compressedBytes(builtPages.portal, loaded)).toBeLessThanOrEqual(firstLoadBytesMax.portal);
  expect([...loaded].toSorted()).toEqual(portalScripts().toSorted());
});

test('a holder logs in with the code of a mail on a phone, the only license opens, and the token is in no address', async () => {
  suite.expectFailure(/^422 .*\/login\/code$/);
  const vendor = await suite.newVendor();
  const { email, product } = await suite.newHolder(vendor);
  const page = await suite.openWindow(narrow);
  const urls = requestsOf(page);
  const opened = await page.goto(`/portal/${vendor.handle}`);
  expect(opened?.status()).toBe(200);
  await page.getByLabel('Email address').fill('ada@example');
  await button(page, 'Send the code').click();
  await page.getByText('Enter a complete email address').waitFor();
  await page.getByLabel('Email address').fill(` ${email.toUpperCase()} `);
  await page.keyboard.press('Enter');
  await heading(page, 'Check your email').waitFor();
  await expectAccessible(page);
  // A job of the service, which runs beside the test, may still be writing the mail.
  const code = await eventually(async () => {
    const [mail] = await loginMails(suite.app, vendor.tenant, email);
    if (mail === undefined) throw new Error('The login was not mailed.');
    return mail.code;
  });
  // The phone has unloaded the page while the person read the mail.
  await page.reload();
  await page.locator('input.code:focus').waitFor();
  // The last digit submits the form.
  await page.getByLabel('Six-digit code').fill(wrong(code));
  await page.getByRole('alert').getByText('This code is wrong').waitFor();
  await page.getByLabel('Six-digit code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await heading(page, product).waitFor();
  await eventually(async () => expect(await page.title()).toBe(`${product} · Acme Audio`));
  // Text that replaces the login is announced by the focus.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  expect(urls.filter((url) => /token|holder_/.test(url))).toEqual([]);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('holder_');
  await page.reload();
  await heading(page, product).waitFor();
  // A list of one license would only lead back.
  expect(await page.getByRole('link', { name: 'All licenses' }).count()).toBe(0);
  await button(page, 'Log out').click();
  await heading(page, 'Log in to your licenses').waitFor();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('holder_');
});

test('a link logs in when its button is pressed, once, and leaves the address at once; the list leads to the license', async () => {
  suite.expectFailure(/^422 .*\/login\/link$/);
  const vendor = await suite.newVendor();
  const holder = await suite.newHolder(vendor);
  const other = await suite.newHolder(vendor, { email: holder.email });
  const link = await suite.linkFor(vendor, holder);
  const page = await suite.openWindow();
  const urls = requestsOf(page);
  await page.goto(link);
  await heading(page, 'Continue to your licenses').waitFor();
  expect(page.url()).toBe(`${suite.origin}/portal/${vendor.handle}`);
  await page.waitForLoadState('networkidle');
  expect(urls.filter((url) => url.includes('/login'))).toEqual([]);
  await expectAccessible(page);
  await button(page, 'Log in').click();
  await heading(page, 'Your licenses').waitFor();
  await page.getByRole('link', { name: other.product }).click();
  await heading(page, other.product).waitFor();
  await page.getByRole('link', { name: 'All licenses' }).click();
  await page.getByRole('link', { name: holder.product }).waitFor();
  await page.goBack();
  await heading(page, other.product).waitFor();
  const again = await suite.openWindow();
  await again.goto(link);
  await button(again, 'Log in').click();
  await again.getByText('This link was already used').waitFor();
  await button(again, 'Log in with your email address').click();
  await heading(again, 'Log in to your licenses').waitFor();
});

test('a holder shows and copies the key, releases devices while releases are left or needed, and replaces the key', async () => {
  const vendor = await suite.newVendor();
  const holder = await suite.newHolder(vendor);
  await activateDevices(vendor, holder, ['Laptop', 'Studio', 'Old laptop']);
  const page = await suite.openAs(vendor, holder, `/licenses/${holder.licenseId}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: suite.origin });
  expect(await page.getByText(holder.key).count()).toBe(0);
  await button(page, 'Show the license key').click();
  await page.getByText(holder.key).waitFor();
  await button(page, 'Hide the license key').click();
  await button(page, 'Copy the license key').click();
  await page.getByRole('status').getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(holder.key);
  await page.getByText('3 of 3 devices in use').waitFor();
  await page.getByText('has not used for 30 days is released by itself').waitFor();
  await button(page, 'Release Old laptop').click();
  await dialog(page, 'Release this device?').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  // The focus returns to the button that asked.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Release Old laptop');
  await page.keyboard.press('Enter');
  await dialog(page, 'Release this device?').waitFor();
  // Keys that follow each other at once are not lost.
  await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Enter')]);
  await button(dialog(page, 'Release this device?') as never, 'Release').click();
  await page.getByText('Old laptop was released.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Devices');
  await page.getByText('You can release 1 more device yourself.').waitFor();
  await page.getByText('2 of 3 devices in use').waitFor();
  await button(page, 'Release Studio').click();
  await button(dialog(page, 'Release this device?') as never, 'Release').click();
  await page.getByText('You cannot release more devices yourself. Contact Acme Audio: help@acme.example').waitFor();
  expect(await page.getByRole('button', { name: /^Release/ }).count()).toBe(0);
  // The vendor lowers the limit below the devices in use.
  await vendor.tenant.asOwner('PUT', `/licenses/${holder.licenseId}`, { max_activations: 0 });
  await page.reload();
  await page.getByText('Release 1 device; you can always do this.').waitFor();
  await button(page, 'Release Laptop').click();
  await button(dialog(page, 'Release this device?') as never, 'Release').click();
  await page.getByText('No device uses this license').waitFor();
  await button(page, 'Show the license key').click();
  await button(page, 'Replace the key').click();
  await button(dialog(page, 'Replace the license key?') as never, 'Replace the key').click();
  await page.getByText('The key was replaced.').waitFor();
  await button(page, 'Show the license key').click();
  const { body } = await vendor.tenant.asOwner('GET', `/licenses/${holder.licenseId}`);
  expect(body.data.key).not.toBe(holder.key);
  await page.getByText(body.data.key).waitFor();
});

test('a license says when its term begins, which devices are tolerated, and nothing of a renewal to a trial that ended', async () => {
  const vendor = await suite.newVendor();
  const policy = {
    ...{ duration_days: null, duration_months: 12, ends_with_month: true, expiry_basis: 'first_activation' },
    ...{ max_activations: 2, activation_overage_percent: 50, require_activation: false },
  };
  const holder = await suite.newHolder(vendor, { policy });
  const page = await suite.openAs(vendor, holder, `/licenses/${holder.licenseId}`);
  await page.getByText('Valid for 1 year from first activation, until the end of that month.').waitFor();
  await page.getByText('1 year from first activation, until the end of that month', { exact: true }).waitFor();
  await page.getByText('2 devices, and 1 more is tolerated', { exact: true }).waitFor();
  await page.getByText('Devices are not limited until the software activates them').waitFor();
  expect(await page.getByText('Never expires').count()).toBe(0);
  await activateDevices(vendor, holder, ['Laptop', 'Studio', 'Tablet']);
  await page.reload();
  await page.getByText('3 devices in use. The license is for 2 devices, and 1 more is tolerated.').waitFor();
  await page.getByText('All devices are in use.').waitFor();
  await button(page, 'Release Tablet').click();
  await button(dialog(page, 'Release this device?') as never, 'Release').click();
  await page.getByText('2 devices in use. The license is for').waitFor();
  expect(await page.getByText('All devices are in use.').count()).toBe(0);
  const { body } = await vendor.tenant.asOwner('GET', `/licenses/${holder.licenseId}`);
  const trial = { trial_policy_id: body.data.policy_id, renewal_url: 'https://acme.example/renew' };
  await vendor.tenant.asOwner('PUT', `/products/${body.data.product_id}`, trial);
  const ended = { starts_at: '2020-01-01T00:00:00Z', expires_at: '2021-01-01T00:00:00Z' };
  await vendor.tenant.asOwner('PUT', `/licenses/${holder.licenseId}`, ended);
  await page.reload();
  await page.getByText('Ask Acme Audio for a license to keep using the software.').waitFor();
  expect(await page.getByText(/Renew/).count()).toBe(0);
  expect(await page.locator('.permits.over').count()).toBe(1);
});

test('a holder turns a request file into a certificate file, and reads what is wrong with another file', async () => {
  suite.expectFailure(/^422 .*\/offline-activations$/);
  const vendor = await suite.newVendor();
  const holder = await suite.newHolder(vendor, { product: { code: 'editor' } });
  const page = await suite.openAs(vendor, holder, `/licenses/${holder.licenseId}`);
  await page.getByText('No device uses this license').waitFor();
  await page.getByRole('link', { name: 'Activate a device offline' }).click();
  await button(page, 'Create the certificate').click();
  await page.getByText('Choose the request file, or paste its content.').last().waitFor();
  const request = { format: 'licensing-offline-request-v1', product: 'other', fingerprint: 'abc', name: 'Island' };
  const upload = (name: string, text: string) =>
    page
      .getByLabel(/^Choose a file$|\.json$/)
      .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
  await upload('photo.json', 'x'.repeat(5_000));
  await page.getByText('too large for a request file').waitFor();
  for (const [name, text, message] of [
    ['notes.json', 'hello', 'This is not a request file'],
    ['other.json', JSON.stringify(request), 'belongs to another product'],
  ] as const) {
    await upload(name, text);
    await button(page, 'Create the certificate').click();
    await page.getByRole('alert').getByText(message).waitFor();
  }
  await page.getByLabel('Content of the request file').fill(JSON.stringify({ ...request, product: 'editor' }));
  await button(page, 'Create the certificate').click();
  await page.getByText('The certificate is ready').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Download the certificate').click(),
  ]);
  expect(download.suggestedFilename()).toBe('editor-certificate.json');
  const file = JSON.parse(readFileSync(await download.path(), 'utf8'));
  expect(file).toMatchObject({ format: 'licensing-offline-certificate-v1', license_key: holder.key });
  await page.getByRole('link', { name: 'Back to the license' }).click();
  await page.getByText('Island').waitFor();
});

test('a session that ends, a network that fails and a license of somebody else are explained, each with a way on', async () => {
  suite.expectFailure(/^401 /);
  suite.expectFailure(/^404 .*\/licenses\//);
  suite.expectFailure(/ERR_INTERNET_DISCONNECTED/);
  const vendor = await suite.newVendor();
  const holder = await suite.newHolder(vendor);
  const stranger = await suite.newHolder(vendor);
  const page = await suite.openAs(vendor, holder, `/licenses/${stranger.licenseId}`);
  await heading(page, 'This page does not exist').waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Go to your licenses' }).click();
  await page.getByRole('alert').getByText('The service could not be reached').waitFor();
  await page.context().setOffline(false);
  await button(page, 'Try again').click();
  await heading(page, holder.product).waitFor();
  const session = await page.evaluate(() => Object.values(sessionStorage).find((text) => text.includes('holder_')));
  const { token } = JSON.parse(session ?? '{}');
  expect((await askPortal(suite.app, vendor.handle, 'POST', '/logout', { token, payload: {} })).status).toBe(200);
  await button(page, 'Show the license key').click();
  await heading(page, 'Your session has ended').waitFor();
  await button(page, 'Log in again').click();
  await page.getByLabel('Email address').waitFor();
});

test('the page speaks the language of the browser or of the person, and wears the name, logo and colour of the vendor', async () => {
  const vendor = await suite.newVendor('Ünique Söftware');
  const holder = await suite.newHolder(vendor);
  const page = await suite.openAs(vendor, holder, '', { locale: 'de-AT' });
  await page.getByText('Gültig bis').first().waitFor();
  await page.getByLabel('Sprache').selectOption('Français');
  await page.getByText('Clé de licence', { exact: true }).waitFor();
  await page.reload();
  await settled(page);
  const seen = await page.evaluate(() => ({
    lang: document.documentElement.lang,
    accent: document.documentElement.style.getPropertyValue('--accent-fill'),
    logo: document.querySelector('header img')?.getAttribute('src')?.split('?')[0],
    icon: document.querySelector('link[rel="icon"]')?.getAttribute('href')?.split('?')[0],
  }));
  const logo = `/api/v1/portal/${vendor.handle}/logo`;
  expect(seen).toEqual({ lang: 'fr', accent: '#0f766e', logo, icon: logo });
  expect(await page.title()).toBe(`${holder.product} · Ünique Söftware`);
  await page.getByRole('link', { name: 'Ünique Söftware' }).waitFor();
  await page.getByRole('link', { name: 'Écrire à help@acme.example' }).waitFor();
});

test('an unknown portal and one that is switched off get the same page with the status 404, under the strict policy', async () => {
  suite.expectFailure(/^404 /);
  const vendor = await suite.newVendor();
  await vendor.tenant.asOwner('PUT', '/portal', { is_enabled: false });
  for (const handle of [vendor.handle, 'nobody', 'NO such', '..%2f']) {
    const page = await suite.openWindow({ locale: 'fr' });
    const response = await page.goto(`/portal/${encodeURIComponent(handle)}`);
    const headers = response?.headers() ?? {};
    expect([response?.status(), headers['cache-control']]).toEqual([404, 'no-store']);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/,
    );
    await heading(page, 'Cette page n’existe pas').waitFor();
    expect(await page.title()).toBe('Cette page n’existe pas · Portail des licences');
  }
});
