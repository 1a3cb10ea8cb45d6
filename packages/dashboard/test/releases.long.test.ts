import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createUser, joinTenant } from '../../server/test/support/accounts.ts';
import { created, newProduct } from '../../server/test/support/licensing-catalog.ts';
import { button, dialog, expectAccessible, heading, link, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

// Larger than one part of the file that the browser reads at a time.
const content = Buffer.alloc(5 * 1024 * 1024, 'installer');
const sha256 = createHash('sha256').update(content).digest('hex');
const file = (name: string, buffer = content) => ({ name, mimeType: 'application/octet-stream', buffer });

test('an owner drafts a release from files that are not sent, publishes it, and yanks it with a reason', async () => {
  const tenant = await dashboard.newTenant('Acme');
  await tenant.asOwner('POST', '/entitlements', { code: 'pro', name: 'Pro features', type: 'boolean' });
  const { id } = await newProduct(tenant, { name: 'Editor' });
  const page = await dashboard.open(tenant.owner, `/products/${id}`);
  await page.getByRole('region', { name: 'Releases' }).getByText('No releases yet').waitFor();
  await button(page, 'New release').first().click();
  const form = dialog(page, 'New release');
  await form.getByRole('textbox', { name: 'Version' }).fill('2.0');
  await form.getByRole('textbox', { name: 'Notes' }).fill('## New\n\n- **Faster** exports <script>alert(1)</script>');
  await form.getByText('Preview', { exact: true }).click();
  await form.getByRole('listitem').getByText('Faster exports <script>alert(1)</script>').waitFor();
  await form.getByLabel('Minimum entitlements').first().click();
  await page.getByRole('option', { name: 'Pro features' }).click();
  await page.keyboard.press('Escape');
  const sent: number[] = [];
  page.on('request', (request) => sent.push(request.postDataBuffer()?.length ?? 0));
  const chosen = form.locator('input[type=file]');
  await chosen.setInputFiles([file('Editor-2.0.0-arm64.dmg'), file('Editor-2.0.0.exe', Buffer.from('exe'))]);
  const mac = form.getByRole('group', { name: 'Editor-2.0.0-arm64.dmg' });
  const windows = form.getByRole('group', { name: 'Editor-2.0.0.exe' });
  await windows.waitFor();
  expect(await mac.getByRole('textbox', { name: 'SHA-256' }).inputValue()).toBe(sha256);
  expect(await mac.getByLabel('Platform').first().inputValue()).toBe('macOS');
  expect(await mac.getByLabel('Architecture').first().inputValue()).toBe('ARM64 (Apple silicon)');
  expect(await windows.getByRole('textbox', { name: 'Size in bytes' }).inputValue()).toBe('3');
  await expectAccessible(page);
  dashboard.expectFailure(/^422 .*\/releases$/);
  await button(page, 'Create draft').click();
  await form.getByText('Enter a version such as 1.4.0 or 2.0.0-beta.1.').waitFor();
  await mac.getByText('Enter the address of the file. It begins with https://.').waitFor();
  await mac.getByRole('textbox', { name: 'URL' }).fill('https://downloads.example/2.0.0/Editor-2.0.0-arm64.dmg');
  await windows.getByRole('textbox', { name: 'URL' }).fill('https://10.0.0.1/Editor.exe');
  await form.getByRole('textbox', { name: 'Version' }).fill('2.0.0');
  await button(page, 'Create draft').click();
  await windows.getByText(/^URL .*address/).waitFor();
  await button(page, 'Remove Editor-2.0.0.exe').click();
  // A third file is proposed beside the first one.
  await chosen.setInputFiles([file('Editor-2.0.0-x64.dmg', Buffer.from('dmg'))]);
  const proposed = form.getByRole('group', { name: 'Editor-2.0.0-x64.dmg' }).getByRole('textbox', { name: 'URL' });
  expect(await proposed.inputValue()).toBe('https://downloads.example/2.0.0/Editor-2.0.0-x64.dmg');
  await button(page, 'Create draft').click();
  await heading(page, '2.0.0').waitFor();
  expect(Math.max(...sent)).toBeLessThan(10_000);
  await page.getByText('Draft', { exact: true }).waitFor();
  await page.getByText('Pro features', { exact: true }).waitFor();
  await expectAccessible(page);
  await button(page, 'Publish release').click();
  await dialog(page, 'Publish release').getByRole('button', { name: 'Publish release' }).click();
  await page.getByText('Published', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Downloads per day' }).getByText('There were no downloads.').waitFor();
  expect(await button(page, 'Edit release').count()).toBe(0);
  await button(page, 'Yank release').click();
  await dialog(page, 'Yank release').getByRole('textbox', { name: 'Reason' }).fill('It loses files.');
  await expectAccessible(page);
  await dialog(page, 'Yank release').getByRole('button', { name: 'Yank release' }).click();
  await page.getByRole('alert').getByText('It loses files.').waitFor();
  expect(await button(page, 'Yank release').count()).toBe(0);
  await link(page, 'Releases of Editor').click();
  await heading(page, 'Releases').waitFor();
  await page.goto(`/products/${id}/releases?status=draft`);
  await page.getByText('No releases match').waitFor();
  await page.goto('/audit-logs');
  for (const phrase of ['created a release', 'published a release', 'yanked a release'])
    await page.getByText(phrase).first().waitFor();
});

test('a draft is changed and deleted, on a phone as well, and a viewer sees releases without buttons', async () => {
  const tenant = await dashboard.newTenant('Globex');
  const { id } = await newProduct(tenant, { name: 'Viewer' });
  created(await tenant.asOwner('POST', `/products/${id}/releases`, { version: '1.0.0-beta.1', channel: 'beta' }));
  const viewer = await createUser(dashboard.app);
  await joinTenant(dashboard.app, viewer, tenant.id, 'viewer');
  const seen = await dashboard.open(viewer, `/products/${id}/releases`);
  await link(seen, '1.0.0-beta.1').click();
  await heading(seen, '1.0.0-beta.1').waitFor();
  for (const name of ['New release', 'Edit release', 'Publish release', 'More actions'])
    expect(await button(seen, name).count()).toBe(0);
  const page = await dashboard.open(tenant.owner, `/products/${id}/releases?channel=beta`, narrow);
  await link(page, '1.0.0-beta.1').click();
  // Without a file there is nothing to publish.
  await button(page, 'Edit release').click();
  expect(await button(page, 'Publish release').count()).toBe(0);
  await button(page, 'Enter values by hand').click();
  await page.getByRole('textbox', { name: 'File name' }).fill('viewer.jar');
  await page.getByRole('textbox', { name: 'URL' }).fill('https://downloads.example/viewer.jar');
  await page.getByRole('textbox', { name: 'Size in bytes' }).fill('1048576');
  await page.getByText('1 MB', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'SHA-256' }).fill(sha256.toUpperCase());
  await button(page, 'Save changes').click();
  await button(page, 'Publish release').waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: 'Delete release' }).click();
  await dialog(page, 'Delete release').getByRole('button', { name: 'Delete release' }).click();
  await page.getByText('No releases yet').waitFor();
});

test('a product keeps the secret of its storage unless another one is entered', async () => {
  const tenant = await dashboard.newTenant('Initech');
  const { id } = await newProduct(tenant, { name: 'Editor' });
  const page = await dashboard.open(tenant.owner, `/products/${id}?panel=edit`);
  const form = dialog(page, 'Edit product');
  await form.getByRole('switch', { name: 'Files of releases are private' }).click();
  for (const [name, value] of [
    ['Endpoint', 'https://s3.eu-central-1.amazonaws.com'],
    ['Region', 'eu-central-1'],
    ['Bucket', 'releases'],
    ['Access key ID', 'AKIA0000'],
  ] as const)
    await form.getByRole('textbox', { name, exact: true }).fill(value);
  dashboard.expectFailure(/^422 .*\/products\//);
  await button(page, 'Save changes').click();
  await form.getByText('Enter the secret key.').waitFor();
  await form.getByLabel('Secret access key').fill('a secret of the storage'.replaceAll(' ', '-'));
  await expectAccessible(page);
  await button(page, 'Save changes').click();
  await page.getByText('https://s3.eu-central-1.amazonaws.com/releases').waitFor();
  await button(page, 'Edit product').click();
  await form.getByRole('textbox', { name: 'Bucket' }).fill('downloads');
  expect(await form.getByLabel('Secret access key').inputValue()).toBe('');
  await button(page, 'Save changes').click();
  await page.getByText('https://s3.eu-central-1.amazonaws.com/downloads').waitFor();
});
