import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { addAccount } from '../../server/test/accounts/members.ts';
import type { TestTenant } from '../../server/test/support/accounts.ts';
import { created } from '../../server/test/support/licensing-catalog.ts';
import { webhookFixtures } from '../../server/test/support/webhook-fixtures.ts';
import { deliver, loopbackWebhooks, useReceiver } from '../../server/test/support/webhook-receiver.ts';
import { button, expectAccessible, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard(loopbackWebhooks);
const receiver = useReceiver();
const { newEndpoint, happen } = webhookFixtures(dashboard, receiver);
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Acme');
});

async function chooseAction(page: Page, name: string): Promise<void> {
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name }).click();
}

test('an owner creates an endpoint, sees its test event fail, and resends it without a reload', async () => {
  dashboard.expectFailure(/^422 \/api\/v1\/tenant\/webhooks$/);
  const page = await dashboard.open(tenant.owner, '/webhook-endpoints');
  await button(page, 'New webhook endpoint').first().click();
  const form = page.getByRole('dialog', { name: 'New webhook endpoint' });
  await form.getByLabel('URL').fill('https://10.0.0.1/hooks');
  await form.getByRole('radio', { name: 'Only some events' }).click();
  await button(page, 'Create webhook endpoint').click();
  await form.getByText('Choose at least one event type.').waitFor();
  await form.getByRole('checkbox', { name: 'license.created' }).click();
  await expectAccessible(page);
  await button(page, 'Create webhook endpoint').click();
  await form.getByText('Enter a public address').waitFor();
  receiver.answer('/hooks', () => ({ status: 500, body: '{"reason":"database offline"}' }));
  await form.getByLabel('URL').fill(receiver.url('/hooks'));
  await button(page, 'Create webhook endpoint').click();

  const created = page.getByRole('dialog', { name: 'Webhook endpoint created' });
  const secret = await created.getByText(/^whsec_/).innerText();
  await page.keyboard.press('Escape');
  await button(page, 'I have stored it').click();
  await page.getByRole('heading', { level: 1, name: receiver.url('/hooks') }).waitFor();
  await page.getByText('Nothing sent yet').waitFor();
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, location.href]));
  expect(stored).not.toContain(secret);
  expect(await page.content()).not.toContain(secret);

  await button(page, 'Send test event').click();
  const deliveries = page.getByRole('table', { name: 'Deliveries' });
  await deliveries.getByText('HTTP 500').waitFor();
  await expectAccessible(page);
  await deliveries.getByRole('link', { name: 'webhook.test' }).click();
  await page.getByRole('heading', { level: 1, name: 'webhook.test' }).waitFor();
  // The newest attempt is open; the service may have made the second one already.
  const attempt = page.getByRole('button', { name: /Attempt 1 failed HTTP 500/ });
  if ((await attempt.getAttribute('aria-expanded')) === 'false') await attempt.click();
  await page.getByRole('region', { name: 'response body of attempt 1' }).getByText('database offline').waitFor();
  const [first] = receiver.at('/hooks');
  await page.getByText(`webhook-timestamp: ${String(first?.headers['webhook-timestamp'])}`).waitFor();
  await expectAccessible(page);

  receiver.answer('/hooks', 204);
  await button(page, 'Resend').click();
  await page.getByRole('button', { name: /Attempt \d succeeded HTTP 204 .* resent manually/ }).waitFor();
  await page.getByText('Succeeded', { exact: true }).waitFor();
});

test('the events that a disabled endpoint missed are counted and recovered, and its secret is rotated', async () => {
  const { id, path, secret } = await newEndpoint(tenant);
  const page = await dashboard.open(tenant.owner, `/webhook-endpoints/${id}`);
  await chooseAction(page, 'Disable');
  await button(page, 'Disable endpoint').click();
  await page.getByText('This endpoint does not receive events').waitFor();
  await happen(tenant, 3);
  await button(page, 'Enable endpoint').click();
  await page.getByText('This endpoint does not receive events').waitFor({ state: 'detached' });
  await chooseAction(page, 'Recover events');
  await page
    .getByRole('dialog', { name: 'Recover events' })
    .getByText(/^\d events will be sent/)
    .waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Recover \d events$/ }).click();
  await page.getByRole('dialog', { name: 'Recover events' }).waitFor({ state: 'detached' });
  await expect.poll(() => receiver.at(path).length).toBeGreaterThanOrEqual(3);

  await chooseAction(page, 'Replace the secret');
  await button(page, 'Replace the secret').click();
  const rotated = page.getByRole('dialog', { name: 'Secret replaced' });
  expect(await rotated.getByText(/^whsec_/).innerText()).not.toBe(secret);
  await expectAccessible(page);
  await button(page, 'I have stored it').click();
  await page.getByText('The secret was replaced').waitFor();

  await page.getByRole('tab', { name: 'Verify signatures' }).click();
  await page.getByRole('tab', { name: 'Python' }).click();
  await page.getByText('from licensing_sdk import').waitFor();
  await expectAccessible(page);

  // The page reads the endpoint every three seconds, and so perhaps between its deletion and the end of the page.
  dashboard.expectFailure(new RegExp(`^404 /api/v1/tenant/webhooks/${id}$`));
  await chooseAction(page, 'Delete');
  await page
    .getByRole('dialog', { name: 'Delete webhook endpoint' })
    .getByRole('textbox')
    .fill(new URL(receiver.url('/')).host);
  await button(page, 'Delete webhook endpoint').click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

test('headers and the product of an endpoint are entered once, and a change keeps the values that it does not show', async () => {
  const own = await dashboard.newTenant('Gateway');
  const product = created(await own.asOwner('POST', '/products', { code: 'editor', name: 'Editor' }));
  dashboard.expectFailure(/^422 \/api\/v1\/tenant\/webhooks$/);
  const page = await dashboard.open(own.owner, '/webhook-endpoints?panel=new');
  const form = page.getByRole('dialog', { name: 'New webhook endpoint' });
  await form.getByLabel('URL').fill(receiver.url('/own-headers'));
  await form.getByRole('combobox', { name: 'Product' }).click();
  await page.getByRole('option', { name: 'Editor' }).click();
  await button(page, 'Add header').click();
  const header = form.getByRole('group', { name: 'Header 1' });
  await header.getByLabel('Name').fill('Host');
  await header.getByLabel('Value', { exact: true }).fill('Bearer gateway');
  await button(page, 'Create webhook endpoint').click();
  await form.getByText('The service sets this header itself.').waitFor();
  await header.getByLabel('Name').fill('Authorization');
  await expectAccessible(page);
  await button(page, 'Create webhook endpoint').click();
  await button(page, 'I have stored it').click();
  const facts = page.getByRole('region', { name: 'Health' });
  await facts.getByRole('link', { name: 'Editor' }).waitFor();
  await facts.getByText('Authorization').waitFor();

  await chooseAction(page, 'Edit');
  const edit = page.getByRole('dialog', { name: 'Edit webhook endpoint' });
  await edit.getByLabel('Description').fill('CRM');
  const stored = edit.getByRole('group', { name: 'Header 1' }).getByLabel('Value', { exact: true });
  expect(await stored.inputValue()).toBe('');
  await button(page, 'Save changes').click();
  await page.getByText('CRM', { exact: true }).waitFor();
  await button(page, 'Send test event').click();
  await expect.poll(() => receiver.at('/own-headers').at(-1)?.headers.authorization).toBe('Bearer gateway');
  const [endpoint] = (await own.asOwner('GET', '/webhooks')).body.data;
  expect(endpoint).toMatchObject({ product_id: product.id, headers: [{ name: 'Authorization' }] });
});

test('an endpoint whose deliveries are retried is failing on the overview, in the list and on its page', async () => {
  const own = await dashboard.newTenant('Retried');
  const empty = await dashboard.open(own.owner, '/overview');
  await empty.getByRole('region', { name: 'Expiring next' }).waitFor();
  await expect.poll(() => empty.getByText('All webhook endpoints receive their events.').count()).toBe(0);

  const fixtures = webhookFixtures(dashboard, receiver);
  const { id, path } = await fixtures.newEndpoint(own);
  receiver.answer(path, 503);
  await own.asOwner('POST', `/webhooks/${id}/test`);
  await deliver(dashboard.app, own);
  const page = await dashboard.open(own.owner, '/overview');
  await page.getByRole('region', { name: 'Failing webhooks' }).getByText('1 retrying').waitFor();
  await page.goto('/webhook-endpoints');
  const row = page.getByRole('table', { name: 'Webhook endpoints' }).getByRole('row').nth(1);
  await row.getByText('Failing').waitFor();
  await row.getByText('1 retrying').waitFor();
  await row.getByRole('link').click();
  await page.getByText('1 delivery failed and will be tried again.').waitFor();
  await page.getByText('Failing', { exact: true }).waitFor();
});

test('the filters of deliveries are in the URL, and Back removes them', async () => {
  const { id, path } = await newEndpoint(tenant);
  receiver.answer(path, 503);
  await happen(tenant, 2);
  await deliver(dashboard.app, tenant);
  const page = await dashboard.open(tenant.owner, `/webhook-endpoints/${id}`);
  const deliveries = page.getByRole('table', { name: 'Deliveries' });
  await deliveries.getByText('Retrying').first().waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Succeeded' }).click();
  await page.getByText('No deliveries match').waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('succeeded');
  await page.reload();
  await page.getByText('No deliveries match').waitFor();
  await page.goBack();
  await deliveries.getByText('Retrying').first().waitFor();
});

test('a viewer and an admin of the platform are offered only what the service allows', async () => {
  const { id } = await newEndpoint(tenant);
  await tenant.asOwner('POST', `/webhooks/${id}/test`);
  const viewer = await dashboard.open(await addAccount(dashboard.app, tenant, 'viewer'), `/webhook-endpoints/${id}`);
  await viewer.getByRole('table', { name: 'Deliveries' }).getByText('Succeeded').waitFor();
  await expect.poll(() => button(viewer, 'Send test event').count()).toBe(0);
  await expect.poll(() => button(viewer, 'More actions').count()).toBe(0);

  const page = await dashboard.open(dashboard.admin, `/admin/tenants/${tenant.id}/webhook-endpoints/${id}`, narrow);
  await button(page, 'Send test event').waitFor();
  await expectAccessible(page);
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').click();
  await page.getByRole('button', { name: /Attempt 1 succeeded/ }).waitFor();
  await expect.poll(() => button(page, 'Resend').count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await expectAccessible(page);
});
