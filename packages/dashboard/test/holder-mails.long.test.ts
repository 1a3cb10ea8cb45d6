import { beforeAll, expect, test } from 'vitest';
import type { TestTenant } from '../../server/test/support/accounts.ts';
import { newLicense } from '../../server/test/support/licensing-catalog.ts';
import { button, expectAccessible, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Acme');
});

test('an owner writes the text of a mail, sees a mistake before saving it, and returns to the default', async () => {
  dashboard.expectFailure(/^422 .*\/mail-templates\/license\.issued(\/preview)?$/);
  const page = await dashboard.open(tenant.owner, '/settings/mails');
  await page.getByRole('link', { name: 'Edit the text of License issued' }).click();
  await page.getByRole('heading', { level: 1, name: 'License issued' }).waitFor();
  const mail = page.frameLocator('iframe[title="Preview of the mail"]');
  await mail.getByText('ACME-7K2QX').waitFor();
  await page.getByRole('textbox', { name: 'Text' }).fill('Hello {{holder}}');
  await page.getByText('The variable {{holder}} is unknown').first().waitFor();
  await button(page, 'Save text').click();
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Text' }).fill('Ahoy {{holder_name}}: `{{license_key}}`');
  await mail.getByText('Ahoy Ada Lovelace').waitFor();
  await button(page, 'Save text').click();
  await page.getByText('Your text', { exact: true }).waitFor();
  await button(page, 'Send a test').click();
  await page.getByRole('dialog').getByLabel('To').fill('me@example.com');
  await button(page, 'Send test').click();
  await page.getByText('The test was sent to me@example.com.').waitFor();
  await button(page, 'Close').last().click();
  await button(page, 'Back to the default').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Back to the default' }).click();
  await page.getByText('Your text', { exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('radiogroup', { name: 'Language' }).getByText('German').click();
  await mail.getByText('Das ist Ihr Lizenzschlüssel').waitFor();
  await page.getByRole('textbox', { name: 'Text' }).fill('Moin {{holder_name}}');
  await button(page, 'Save text').click();
  await page.getByText('Your text', { exact: true }).waitFor();
  const english = (await tenant.asOwner('GET', '/mail-templates/license.issued')).body.data;
  expect(english.is_default).toBe(true);
});

test('an owner switches a mail off, changes the days, and sends a license to its holder', async () => {
  const license = await newLicense(tenant, {}, { holder: { name: 'Ada', email: 'ada@example.com' } });
  const page = await dashboard.open(tenant.owner, '/settings/mails', narrow);
  await page.getByRole('switch', { name: 'Send License renewed' }).click({ force: true });
  await page.getByLabel('Days before the end').first().fill('3');
  await page.keyboard.press('Enter');
  await button(page, 'Save days').click();
  await expect.poll(async () => (await tenant.asOwner('GET', '/mail-settings')).body.data.expiring_days).toContain(3);
  await expectAccessible(page);
  const { types } = (await tenant.asOwner('GET', '/mail-settings')).body.data;
  expect(types.find((one: { type: string }) => one.type === 'license.renewed').is_on).toBe(false);
  await page.goto(`${new URL(page.url()).origin}/licenses/${license.id}?tab=mails`);
  await button(page, 'Send to the customer').click();
  await page.getByText('The license is sent to ada@example.com.').waitFor();
  await expectAccessible(page);
});
