import { expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { eventually } from '../../../tools/eventually.ts';
import { tenantRoles } from '../../server/src/http/routes/tenant-roles.ts';
import { tenantResources } from '../../server/src/surfaces/tenant-resources.ts';
import { inviteMember } from '../../server/test/accounts/people.ts';
import { createUser, freshAddress, joinTenant, testPassword } from '../../server/test/support/accounts.ts';
import { created, newLicense } from '../../server/test/support/licensing-catalog.ts';
import { mailedToken } from '../../server/test/support/mails.ts';
import { oneTimeCode } from '../../server/test/support/one-time-code.ts';
import { tenantAreas, tenantRights } from '../src/surfaces.ts';
import {
  button,
  expectAccessible,
  heading,
  narrow,
  signIn,
  useDashboard,
  type WindowOptions,
} from './support/screen.ts';

// The service limits logins per client address, so each window has its own.
const dashboard = useDashboard({ TRUST_PROXY: '127.0.0.1' });

async function openWindow(options?: WindowOptions): Promise<Page> {
  const page = await dashboard.openWindow(options);
  await page.context().setExtraHTTPHeaders({ 'x-forwarded-for': freshAddress() });
  return page;
}

/** Returns the token of the link that was mailed to an address. The service sends its mails in the background. */
const newestToken = (email: string) => eventually(() => mailedToken(dashboard.app, email));

async function fillLogin(page: Page, email: string, password = testPassword) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await button(page, 'Log in').click();
}

test('a password that the service refuses is marked as invalid, and a wrong address leads back to the registration', async () => {
  dashboard.expectFailure(/^422 \/api\/v1\/auth\/register/);
  const page = await openWindow();
  const register = async (email: string, password: string) => {
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Create account').click();
  };
  await page.goto('/register');
  await register('mistyped@example.com', 'mistyped@example.com');
  const password = page.getByLabel('Password', { exact: true });
  await expect.poll(() => password.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  dashboard.app.secrets.note(testPassword);
  await register('mistyped@example.com', testPassword);
  await heading(page, 'Check your email').waitFor();

  await button(page, 'Log out').click();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await heading(page, 'Create an account').waitFor();
});

test('a person registers, verifies the address with the mailed link and is let in', async () => {
  const page = await openWindow();
  await page.goto('/login');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByText('At least 12 characters, 7 more').waitFor();
  await button(page, 'Create account').click();
  await page.getByText('Enter at least 12 characters.').waitFor();
  await expectAccessible(page);
  dashboard.app.secrets.note(testPassword);
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await button(page, 'Create account').click();
  await heading(page, 'Check your email').waitFor();
  await page.getByText('ada@example.com').waitFor();
  await expectAccessible(page);

  const mailed = await page.context().newPage();
  await mailed.goto(`/verify-email#token=${await newestToken('ada@example.com')}`);
  await heading(mailed, 'Your email address is verified').waitFor();
  // The tab that waits for the mail continues by itself.
  await heading(page, 'Your email address is verified').waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.waitForURL('**/welcome**');
});

test('a link to verify an address works for its person only, who logs in first', async () => {
  const page = await openWindow();
  dashboard.expectFailure(/^422 \/api\/v1\/auth\/email\/verify/);
  const email = 'verified-later@example.com';
  await page.request.post('/api/v1/auth/register', { data: { name: 'Later', email, password: testPassword } });
  const link = `/verify-email#token=${await newestToken(email)}`;
  const stranger = await createUser(dashboard.app);
  const other = await openWindow();
  await signIn(other, stranger);
  await other.goto(link);
  await heading(other, 'Your email address is verified').waitFor();
  await page.goto(link);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await button(page, 'Log in and verify').click();
  await heading(page, 'Your email address is verified').waitFor();
});

test('a login with two-factor authentication explains each refusal and leads back to the page of the person', async () => {
  dashboard.expectFailure(/^401 \/api\/v1\/auth\/login/);
  const { app } = dashboard;
  const tenant = await dashboard.newTenant('Acme');
  const { owner } = tenant;
  const post = (path: string, payload: object) =>
    app.request({ method: 'POST', url: `/api/v1/auth/two-factor/${path}`, headers: owner.auth, payload });
  const { secret } = (await post('setup', { password: testPassword })).body.data;
  app.secrets.note(secret);
  await post('confirm', { code: oneTimeCode(secret) });

  const page = await openWindow();
  await page.goto('/members?role=owner');
  await heading(page, 'Log in').waitFor();
  await expectAccessible(page);
  await fillLogin(page, owner.email, 'not the password at all');
  await page.getByRole('alert').getByText('The email address or password is incorrect').waitFor();
  await fillLogin(page, owner.email);
  await heading(page, 'Two-factor authentication').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await button(page, 'Log in').click();
  await page.getByRole('alert').getByText('The code is incorrect').waitFor();
  // The service accepts the code of the next time step, because clocks differ.
  await page.getByLabel('Code', { exact: true }).fill(oneTimeCode(secret, 1));
  await button(page, 'Log in').click();
  await heading(page, 'Members').waitFor();
  expect(new URL(page.url()).search).toBe('?role=owner');
  await page.reload();
  await heading(page, 'Members').waitFor();
});

test('a session that ended shows the login page, which leads back to the same page', async () => {
  dashboard.expectFailure(/^401 /);
  const { owner } = await dashboard.newTenant('Expired');
  const page = await openWindow();
  await signIn(page, owner);
  await page.goto('/members?role=viewer');
  await heading(page, 'Members').waitFor();
  await dashboard.app.request({ method: 'POST', url: '/api/v1/auth/logout', headers: owner.auth });
  await button(page, 'Reset filters').click();
  await heading(page, 'Log in').waitFor();
  await fillLogin(page, owner.email);
  await heading(page, 'Members').waitFor();
  expect(new URL(page.url()).pathname).toBe('/members');
});

test('logging out in one tab logs out the other, and a login in one tab opens the other', async () => {
  const { owner } = await dashboard.newTenant('Two tabs');
  const first = await openWindow();
  // A link to the login page must not lead to another site.
  await first.goto('/login?next=//elsewhere.example/');
  await fillLogin(first, owner.email);
  await heading(first, 'Overview').waitFor();
  const second = await first.context().newPage();
  await second.goto('/members');
  await heading(second, 'Members').waitFor();
  await first.getByRole('button', { name: /^Your menu/ }).click();
  await first.getByRole('menuitem', { name: 'Log out' }).click();
  await heading(first, 'Log in').waitFor();
  await heading(second, 'Log in').waitFor();
  await fillLogin(first, owner.email);
  await heading(second, 'Members').waitFor();
});

test('a forgotten password is replaced with the mailed link, once, and every session ends', async () => {
  dashboard.expectFailure(/^401 /);
  dashboard.expectFailure(/^422 \/api\/v1\/auth\/reset-password/);
  const { owner } = await dashboard.newTenant('Forgotten');
  const elsewhere = await openWindow();
  await signIn(elsewhere, owner);
  await elsewhere.goto('/members');
  await heading(elsewhere, 'Members').waitFor();

  const page = await openWindow();
  await page.goto('/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading(page, 'Forgot your password?').waitFor();
  await page.getByLabel('Email').fill(owner.email);
  await button(page, 'Send link').click();
  await heading(page, 'Check your email').waitFor();
  const link = `/reset-password#token=${await newestToken(owner.email)}`;
  const password = 'a wholly different passphrase';
  dashboard.app.secrets.note(password);
  await page.goto(link);
  await expectAccessible(page);
  await page.getByLabel('New password').fill(password);
  await button(page, 'Set password').click();
  await heading(page, 'Your password was changed').waitFor();
  await page.getByRole('link', { name: 'Log in' }).click();
  await fillLogin(page, owner.email, password);
  await heading(page, 'Overview').waitFor();

  await elsewhere.reload();
  await heading(elsewhere, 'Log in').waitFor();
  await elsewhere.goto(link);
  await elsewhere.getByLabel('New password').fill(password);
  await button(elsewhere, 'Set password').click();
  await elsewhere.getByRole('alert').getByText('This link was already used').waitFor();
  await elsewhere.getByRole('link', { name: 'Request new link' }).waitFor();
});

test('an invitation says who is invited to what, and its acceptance opens the tenant', async () => {
  dashboard.expectFailure(/^422 \/api\/v1\/auth\/invitation/);
  const { app } = dashboard;
  const tenant = await dashboard.newTenant('Globex');
  const token = await inviteMember(app, { id: tenant.id, name: 'Globex' }, 'hank@example.com', 'viewer');
  const page = await openWindow(narrow);
  await page.goto(`/accept-invitation#token=${token}`);
  await heading(page, 'Join Globex').waitFor();
  await page.getByText('You are invited as viewer').waitFor();
  expect(await page.getByLabel('Email').inputValue()).toBe('hank@example.com');
  await expectAccessible(page);
  await page.getByLabel('Name').fill('Hank Scorpio');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await button(page, 'Accept the invitation').click();
  await heading(page, 'Overview').waitFor();
  await expect.poll(() => page.title()).toBe('Overview · Globex · Licensing');
  await page.goto('/login');
  await heading(page, 'Overview').waitFor();
  await page.goto(`/accept-invitation#token=${token}`);
  await page.getByRole('alert').getByText('This invitation was accepted already').waitFor();
});

test('a locked account and too many attempts say how long to wait', async () => {
  dashboard.expectFailure(/^(401|429) \/api\/v1\/auth\/login/);
  const user = await createUser(dashboard.app);
  const page = await openWindow();
  await page.goto('/login');
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const answered = page.waitForResponse('**/api/v1/auth/login');
    await fillLogin(page, user.email, `wrong password ${attempt}`);
    await answered;
  }
  await fillLogin(page, user.email);
  await page
    .getByRole('alert')
    .getByText(/Try again in \d+ (minutes|seconds|second)/)
    .waitFor();
  expect(await button(page, 'Log in').isDisabled()).toBe(true);
});

test('the screens offer what the tables of roles and areas of the service permit', () => {
  const rights = Object.entries(tenantRoles).map(([role, rule]) => [role, rule.rights]);
  expect(tenantRights).toEqual(Object.fromEntries(rights));
  const ofService = new Map(tenantResources.map(({ prefix, area }) => [prefix.slice(1), area]));
  // These have no routes of their own below `/tenant`, or the screen is for fewer people than the reads.
  const others = ['billing', 'exports', 'settings'];
  const shown = Object.entries(tenantAreas).filter(([resource]) => !others.includes(resource));
  expect(shown).toEqual(shown.map(([resource]) => [resource, ofService.get(resource)]));
});

test('a person with the role support reaches licenses, devices and customers, and no screen asks for more', async () => {
  const { app } = dashboard;
  const tenant = await dashboard.newTenant('Help desk');
  const license = await newLicense(tenant, { require_activation: true }, { holder: { email: 'ada@example.com' } });
  const { id, key } = license;
  created(await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'one', name: 'Laptop' }));
  const colleague = await createUser(app);
  await joinTenant(app, colleague, tenant.id, 'support');
  const page = await dashboard.open(colleague, '/overview');
  await heading(page, 'Licenses').waitFor();
  const menu = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  const names = await menu.allTextContents();
  expect(names).toContain('Customers');
  for (const hidden of ['Overview', 'Developers', 'Webhooks', 'Members', 'Settings', 'Emails', 'Shops'])
    expect(names).not.toContain(hidden);
  // Any 403 fails the suite.
  for (const name of names) {
    await menu.getByText(name, { exact: true }).click();
    await menu.and(page.locator('[aria-current="page"]')).getByText(name, { exact: true }).waitFor();
    const tabs = page.getByRole('navigation', { name: `Screens of ${name}` }).getByRole('link');
    for (const screen of await tabs.allTextContents()) {
      await tabs.getByText(screen, { exact: true }).click();
      await heading(page, screen).waitFor();
    }
  }
  await page.goto(`/licenses/${id}`);
  for (const tab of await page.getByRole('tab').all()) await tab.click();
  expect(await page.getByRole('tab', { name: 'History' }).count()).toBe(0);
  await button(page, 'Edit license').waitFor();
  await page.goto('/customers/ada@example.com');
  await heading(page, 'ada@example.com').waitFor();
  dashboard.expectFailure(/^403 \/api\/v1\/tenant\/api-keys/);
  await page.goto('/api-keys');
  await page
    .getByText(/This requires the role owner/)
    .first()
    .waitFor();
});
