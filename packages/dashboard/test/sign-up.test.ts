import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { eventually } from '../../../tools/eventually.ts';
import {
  createSignUp,
  monthlyAndYearly,
  offerPlan,
  readSignUpRow,
  startSignUp,
} from '../../server/test/commerce/buyers.ts';
import { type Account, createAdmin, createUser, testPassword } from '../../server/test/support/accounts.ts';
import { mailedToken, mailsTo } from '../../server/test/support/mails.ts';
import { payWithCard } from './support/sandbox-page.ts';
import { button, expectAccessible, heading, useDashboard } from './support/screen.ts';

const dashboard = useDashboard({ PAYMENT_PROVIDER: 'sandbox' });

beforeAll(async () => {
  await offerPlan(dashboard.app, await createAdmin(dashboard.app), monthlyAndYearly(4900));
});

const openWelcome = (person: Pick<Account, 'token'>, path = '/welcome') => dashboard.open(person, path);

/** Chooses the paid plan, names the tenant, and continues to the page of the payment provider. */
async function goToPayment(page: Page, tenantName: string): Promise<void> {
  await button(page, 'Choose Team').click();
  await page.getByLabel('Public name').fill(tenantName);
  await button(page, 'Continue to payment').click();
  await page.getByRole('heading', { name: 'Team' }).waitFor();
}

test('a person without a tenant chooses a plan, pays after a declined card, and continues to the first license', async () => {
  dashboard.expectFailure(/^402 \/sandbox\/checkout/);
  const page = await openWelcome(await createUser(dashboard.app), '/overview');
  await heading(page, 'Choose a plan').waitFor();
  await page.getByText('$49.00').waitFor();
  await expectAccessible(page);
  await page.getByText('Yearly', { exact: true }).click();
  await page.getByText('$490.00 billed yearly').waitFor();
  await button(page, 'Choose Team').click();
  await heading(page, 'Name your tenant').waitFor();
  await page.getByText('You pay $490.00 on the next page').waitFor();
  await button(page, 'Continue to payment').click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByLabel('Public name').fill('Northwind');
  await button(page, 'Continue to payment').click();

  await payWithCard(page, 'declined');
  await page.getByText('declined').waitFor();
  await payWithCard(page, 'good');
  await heading(page, 'Northwind is ready').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Welcome mail sent: Done' }).waitFor();
  await expectAccessible(page);
  await button(page, 'Create your first license').click();
  await page.waitForURL(/\/overview\?start=/);
  expect(await page.title()).toContain('Northwind');
});

test('a person who leaves the payment page is told that nothing was charged, and finds the checkout again', async () => {
  const page = await openWelcome(await createUser(dashboard.app));
  await goToPayment(page, 'Contoso');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await heading(page, 'The payment was not made').waitFor();
  await expectAccessible(page);
  await page.goto('/welcome');
  await button(page, 'Continue with Contoso').click();
  await heading(page, 'Waiting for your payment').waitFor();
  await button(page, 'Cancel and choose another plan').click();
  await heading(page, 'Choose a plan').waitFor();
  await button(page, 'Continue with Contoso').waitFor({ state: 'detached' });
});

test('the free plan needs no payment', async () => {
  const page = await openWelcome(await createUser(dashboard.app));
  await button(page, 'Choose Free').click();
  await page.getByLabel('Public name').fill('Freebie');
  await button(page, 'Create tenant').click();
  await heading(page, 'Freebie is ready').waitFor();
});

test('a person who closes the tab while the tenant is made finds its progress again, and sees it end', async () => {
  const { query } = dashboard.app.services.platform;
  const person = await createUser(dashboard.app);
  const signUp = await createSignUp(dashboard.app, person);
  const { id } = await startSignUp(signUp, 'free', { tenant_name: 'Fabrikam' });
  // The service is fast, so the test stops the provisioning in its middle.
  await expect.poll(async () => (await readSignUpRow(dashboard.app, id)).status).toBe('completed');
  const { steps_json } = await readSignUpRow(dashboard.app, id);
  const { database } = JSON.parse(steps_json);
  const write = (changes: object) =>
    query.updateTable('onboarding_checkouts').set(changes).where('id', '=', id).execute();
  await write({ status: 'provisioning', steps_json: JSON.stringify({ database }) });
  await query.deleteFrom('memberships').where('user_id', '=', person.id).execute();

  const page = await openWelcome(person, '/overview');
  await heading(page, 'Setting up Fabrikam').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Storage created: Done' }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Storage prepared: In progress' }).waitFor();
  await expectAccessible(page);
  await write({ status: 'completed', steps_json });
  await heading(page, 'Fabrikam is ready').waitFor();
});

test('an unverified person gets the mail again, and continues when the link was opened elsewhere', async () => {
  const { app } = dashboard;
  const email = 'unverified@example.com';
  const post = (url: string, payload: object, headers = {}) => app.request({ method: 'POST', url, payload, headers });
  await post('/api/v1/auth/register', { name: 'Una', email, password: testPassword });
  const login = await post('/api/v1/auth/login', { email, password: testPassword });
  const page = await openWelcome({ token: login.body.data.access_token });
  await heading(page, 'Verify your address').waitFor();
  await expectAccessible(page);
  await button(page, 'Send again').click();
  await page.getByRole('status').filter({ hasText: 'We sent a new link.' }).waitFor();
  // The newer link replaces the first one.
  await eventually(async () => expect(await mailsTo(app, email)).toHaveLength(2));
  const token = await mailedToken(app, email);
  const auth = { authorization: `Bearer ${login.body.data.access_token}` };
  expect(await post('/api/v1/auth/email/verify', { token }, auth)).toMatchObject({ status: 200 });
  await heading(page, 'Choose a plan').waitFor();
});
