import { afterAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../../tools/openid-provider/provider.ts';
import { addUser, createUser, freshAddress, testPassword } from '../../server/test/support/accounts.ts';
import { oneTimeCode } from '../../server/test/support/one-time-code.ts';
import { signOnClient, signOnSettings } from '../../server/test/support/single-sign-on.ts';
import { expectAccessible, heading, useDashboard, type WindowOptions } from './support/screen.ts';

let provider: OpenIdProvider;
const dashboard = useDashboard(async (origin) => {
  const redirectUris = [`${origin}/api/v1/auth/oidc/callback`];
  provider = await startOpenIdProvider({ port: 0, client: { ...signOnClient, redirectUris } });
  return { ...signOnSettings(provider.issuer), OIDC_SIGN_UP: 'true', PUBLIC_URL: origin, TRUST_PROXY: '127.0.0.1' };
});
afterAll(() => provider.close());

async function openWindow(options?: WindowOptions): Promise<Page> {
  dashboard.app.secrets.note(signOnClient.secret);
  // The browser visits the provider, whose page has no icon.
  dashboard.expectFailure(/^other origin: http:\/\/127\.0\.0\.1:\d+\//);
  dashboard.expectFailure(/^404 \/favicon\.ico$/);
  const page = await dashboard.openWindow(options);
  await page.context().setExtraHTTPHeaders({ 'x-forwarded-for': freshAddress() });
  return page;
}

const start = (page: Page) => page.getByRole('link', { name: 'Continue with Example ID' }).click();

function addPerson(email: string, fields: object = {}) {
  provider.addPerson({ email, email_verified: true, name: 'Ada King', ...fields });
  return email;
}

async function logInAs(page: Page, email: string) {
  await heading(page, 'Who are you?').waitFor();
  await page.getByRole('link', { name: email, exact: true }).click();
}

test('a user continues with the provider to the page that was asked for, and sees and unlinks the identity there', async () => {
  const { email } = await addUser(dashboard.app);
  addPerson(email);
  const page = await openWindow();
  await page.goto('/account');
  await expectAccessible(page);
  await start(page);
  await logInAs(page, email);
  await heading(page, 'Account').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  const section = page.getByRole('region', { name: 'Single sign-on' });
  await section.getByText(provider.issuer).waitFor();
  await expectAccessible(page);
  await section.getByRole('button', { name: 'Unlink the identity' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink identity' }).click();
  await section.getByText('No identity is linked.').waitFor();
  // The code of the login must not be in the history.
  await page.goBack();
  expect(page.url()).not.toContain('code=');
});

test('a person without an account gets one, without a password', async () => {
  const email = addPerson('new-person@example.com');
  const page = await openWindow();
  await page.goto('/login');
  await start(page);
  await logInAs(page, email);
  await page.waitForURL(/\/(welcome|overview)/);
  await page.goto('/account');
  await page.getByRole('link', { name: 'Choose a password' }).waitFor();
  await page
    .getByRole('region', { name: 'Single sign-on' })
    .getByRole('button', { name: 'Unlink the identity', disabled: true })
    .waitFor();
  await expectAccessible(page);
});

test('an admin continues with the provider to the administration of the platform', async () => {
  const email = addPerson('chief@example.com', { licensing_role: 'super_admin' });
  const page = await openWindow();
  await page.goto('/admin/login');
  await expectAccessible(page);
  await start(page);
  await logInAs(page, email);
  await page.waitForURL(/\/admin(?:$|\?|\/(?!login))/);
});

test('a person who was refused reads why and can use the password instead', async () => {
  const email = addPerson('no-role@example.com');
  const page = await openWindow({ width: 360, height: 740 });
  await page.goto('/admin/login');
  await start(page);
  await logInAs(page, email);
  await heading(page, 'You are not logged in').waitFor();
  await page.getByText('The provider does not give you an admin role.').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Log in with your password' }).click();
  await heading(page, 'Admin login').waitFor();
});

test('a login that is canceled at the provider can be started again', async () => {
  const email = addPerson('second-thought@example.com');
  const page = await openWindow();
  await page.goto('/login?next=%2Faccount');
  await start(page);
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByText('or you canceled it').waitFor();
  await page.getByRole('link', { name: 'Try again' }).click();
  await logInAs(page, email);
  await heading(page, 'Account').waitFor();
});

test('a person with an authenticator app enters its code as well', async () => {
  const user = await createUser(dashboard.app);
  addPerson(user.email);
  const send = (path: string, payload: object) =>
    dashboard.app.request({ method: 'POST', url: `/api/v1/auth/two-factor${path}`, headers: user.auth, payload });
  const { secret } = (await send('/setup', { password: testPassword })).body.data;
  dashboard.app.secrets.note(secret);
  await send('/confirm', { code: oneTimeCode(secret) });
  dashboard.expectFailure(/^401 \/api\/v1\/auth\/oidc\/token$/);
  const page = await openWindow();
  await page.goto('/login?next=%2Faccount');
  await start(page);
  await logInAs(page, user.email);
  await heading(page, 'Two-factor authentication').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Code').fill(oneTimeCode(secret, 1));
  await page.getByRole('button', { name: 'Log in' }).click();
  await heading(page, 'Account').waitFor();
});

test("a link with another person's code logs nobody in, and its fragment adds no text to the page", async () => {
  dashboard.expectFailure(/^422 \/api\/v1\/auth\/oidc\/token$/);
  const page = await openWindow();
  await page.goto('/single-sign-on#ability=tenant&code=of-somebody-else&next=//evil.example');
  await page.getByText('was started in another browser').waitFor();
  await page.goto('/login');
  await page.goto('/single-sign-on#error=Call+this+number&next=//evil.example');
  await heading(page, 'You are not logged in').waitFor();
  expect(await page.content()).not.toContain('Call this number');
  const href = await page.getByRole('link', { name: 'Try again' }).getAttribute('href');
  expect(href).not.toContain('evil');
});
