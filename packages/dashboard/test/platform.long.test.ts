import { expect, test } from 'vitest';
import { adminRoles } from '../../server/src/http/routes/admin-roles.ts';
import { addAdmin, createAdmin, createUser, type TestTenant } from '../../server/test/support/accounts.ts';
import { newLicense } from '../../server/test/support/licensing-catalog.ts';
import { mailsTo } from '../../server/test/support/mails.ts';
import { words } from '../src/lib/text.ts';
import { button, dialog, expectAccessible, heading, link, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

const open = (path: string, admin = dashboard.admin) => dashboard.open(admin, path);

const validate = async (tenant: TestTenant) => (await tenant.asApplication('/licenses/unknown/validate')).status;

test('an admin finds a tenant from the home page and changes a limit', async () => {
  const tenant = await dashboard.newTenant('Northwind Audio');
  await dashboard.newTenant('Redwood Analytics');
  const page = await open('/admin');
  expect(await page.title()).toBe('Home · Admin · Licensing');
  await page.getByText('Active tenants').waitFor();
  await page.getByRole('table', { name: 'Validations over time' }).waitFor({ state: 'attached' });
  await expectAccessible(page);

  await link(page, 'Tenants').click();
  await page.getByRole('textbox', { name: 'Search by name or ID' }).fill('northw');
  await page.waitForURL(/q=northw/);
  await page.getByRole('table', { name: 'Tenants' }).getByText('Redwood Analytics').waitFor({ state: 'detached' });
  await link(page, 'Northwind Audio').click();
  await heading(page, 'Northwind Audio').waitFor();
  await page.getByText("The audit log records every change as an admin's change.").waitFor();
  await page.getByRole('table', { name: 'Members' }).getByText(tenant.owner.email).waitFor();
  await page.getByRole('table', { name: 'Limits' }).getByText('· unlimited').first().waitFor();
  await expectAccessible(page);

  await button(page, 'Change limits').click();
  const limits = dialog(page, 'Change limits');
  await limits.getByRole('combobox', { name: 'Licenses: source' }).click();
  await page.getByRole('option', { name: 'Custom limit' }).click();
  await limits.getByRole('textbox', { name: 'Licenses', exact: true }).fill('');
  await button(page, 'Save limits').click();
  await limits.getByText('Enter the limit.').waitFor();
  await limits.getByRole('textbox', { name: 'Licenses', exact: true }).fill('1234');
  await button(page, 'Save limits').click();
  await page.getByRole('table', { name: 'Limits' }).getByText('of 1,234').waitFor();
});

test('an admin suspends and reactivates a tenant, and reads both in the audit log', async () => {
  const tenant = await dashboard.newTenant('Umbra Security');
  const page = await open(`/admin/tenants/${tenant.id}`);

  await button(page, 'Suspend').click();
  const suspend = dialog(page, 'Suspend tenant');
  expect(await suspend.getByRole('button', { name: 'Suspend tenant' }).isDisabled()).toBe(true);
  await suspend.getByRole('textbox').fill('Umbra Security');
  await suspend.getByRole('button', { name: 'Suspend tenant' }).click();
  await page.getByText('cannot use the service until you reactivate it.').waitFor();
  expect(await validate(tenant)).toBe(403);
  await button(page, 'Reactivate').click();
  await dialog(page, 'Reactivate tenant').getByRole('button', { name: 'Reactivate tenant' }).click();
  await button(page, 'Suspend').waitFor();
  expect(await validate(tenant)).toBe(200);

  await link(page, 'Changes by admins').click();
  const records = page.getByRole('table', { name: 'Audit records' });
  for (const text of ['suspended the tenant', 'reinstated the tenant', 'created the tenant']) {
    await records.getByText(text).waitFor();
  }
  await expectAccessible(page);
});

test('an admin finds a license by the end of its key and opens it in the tenant, also without the right to write', async () => {
  const tenant = await dashboard.newTenant('Harbor Maps');
  const license = await newLicense(tenant);
  const auditor = await createAdmin(dashboard.app, 'auditor');
  const page = await open('/admin/tenants', auditor);
  await button(page, 'Find a license').click();
  const panel = dialog(page, 'Find a license');
  const field = panel.getByRole('textbox', { name: 'License key, or its last six or more characters' });
  await field.fill('NO-SUCH-KEY');
  await panel.getByRole('button', { name: 'Find' }).click();
  await panel.getByText('No license has this key.').waitFor();
  await field.fill(license.key.slice(-8));
  await panel.getByRole('button', { name: 'Find' }).click();
  await panel.getByText(/^Searched \d+ of \d+ tenants\.$/).waitFor();
  await expectAccessible(page);
  await panel.getByRole('link', { name: 'License of Harbor Maps' }).click();
  await page.waitForURL(`**/admin/tenants/${tenant.id}/licenses/${license.id}`);
  await page.getByText(license.key.slice(-5)).first().waitFor();
});

test('an admin revokes a key of a tenant on the admin surface, and the tenant sees who did it', async () => {
  const tenant = await dashboard.newTenant('Lumen Plugins');
  const page = await open(`/admin/tenants/${tenant.id}`);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Developers' }).click();
  await heading(page, 'API keys').waitFor();
  await page.getByText("The audit log records every change as an admin's change.").waitFor();
  await page.getByText('Test key').first().waitFor();
  await button(page, /Revoke/)
    .first()
    .click();
  const revoke = page.getByRole('dialog');
  const typed = revoke.getByRole('textbox');
  if ((await typed.count()) > 0) await typed.fill('Test key');
  await revoke.getByRole('button', { name: /^Revoke/ }).click();
  await revoke.waitFor({ state: 'hidden' });
  expect(await validate(tenant)).toBe(401);

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
  await link(page, 'Audit log').click();
  await page.getByRole('table', { name: 'Audit records' }).getByText('revoked an API key').waitFor();
  await page.getByText('(admin of the platform)').first().waitFor();
});

test('a tenant that is closed keeps its page and offers nothing that the service would refuse', async () => {
  await dashboard.newTenant('Short Lived');
  const page = await open('/admin/tenants?q=short');
  await link(page, 'Short Lived').click();
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: 'Close tenant' }).click();
  await dialog(page, 'Close tenant').getByRole('textbox').fill('Short Lived');
  await dialog(page, 'Close tenant').getByRole('button', { name: 'Close tenant' }).click();
  await page.getByText('This tenant is permanently closed.').waitFor();
  for (const name of ['Edit tenant', 'Suspend', 'Change limits'])
    await expect.poll(() => button(page, name).count()).toBe(0);
});

test('a user is found, disabled and enabled again, and gets a link to choose a password', async () => {
  const { app } = dashboard;
  const user = await createUser(app);
  const status = async () => (await app.request({ method: 'GET', url: '/api/auth/me', headers: user.auth })).status;
  const page = await open('/admin/users');
  await page.getByRole('textbox', { name: 'Search by email, name or ID' }).fill(user.email.slice(0, 30).toUpperCase());
  await link(page, user.email).click();
  await heading(page, user.email).waitFor();
  await page.getByRole('table', { name: 'Sessions' }).getByText('Unnamed device').waitFor();
  await expectAccessible(page);

  await button(page, 'Disable user').click();
  await dialog(page, 'Disable user').getByText('ends 1 session').waitFor();
  await dialog(page, 'Disable user').getByRole('button', { name: 'Disable user' }).click();
  await page.getByText('This user is not logged in on any device.').waitFor();
  expect(await status()).toBe(401);
  await expect.poll(() => button(page, 'Send password reset').count()).toBe(0);

  await button(page, 'Enable user').click();
  await dialog(page, 'Enable user').getByRole('button', { name: 'Enable user' }).click();
  await button(page, 'Send password reset').click();
  await dialog(page, 'Send password reset').getByRole('button', { name: 'Send password reset' }).click();
  await page.getByText(`We sent a link to choose a password to ${user.email}.`).waitFor();
  await expect.poll(async () => (await mailsTo(app, user.email)).join()).toContain('reset-password#token=');
});

test('a mail and a job that the service gave up on are retried, and then leave their lists', async () => {
  const { platform, keyring, clock, mail } = dashboard.app.services;
  const at = clock.now();
  const message = { to: 'ada@example.org', subject: 'Invitation to Acme', text: 'Hello', html: '<p>Hello</p>' };
  const failed = { attempts: 1, last_error: '550 No such mailbox', created_at: at, died_at: at };
  const mailId = '019aa000-0000-7000-8000-0000000000aa';
  const expiredId = '019aa000-0000-7000-8000-0000000000ab';
  for (const [id, to, useful_until] of [
    [mailId, message.to, null],
    [expiredId, 'late@example.org', '2020-01-01T00:00:00.000000Z'],
  ] as const) {
    const sealed_message = keyring.seal(JSON.stringify({ ...message, to }));
    await platform.query
      .insertInto('dead_mails')
      .values({ id, sealed_message, useful_until, ...failed })
      .execute();
  }
  const job = { subject_id: 'platform', kind: 'revenue', due_at: null, wake_at: null, lease_owner: null, attempts: 8 };
  const dead = { ...job, status: 'dead', last_error: 'The disk is full.', updated_at: at } as const;
  await platform.query
    .insertInto('jobs')
    .values(dead)
    .onConflict((conflict) => conflict.columns(['subject_id', 'kind']).doUpdateSet(dead))
    .execute();

  const page = await open('/admin');
  await page.getByRole('link', { name: /Mails refused/ }).click();
  await page
    .getByRole('table', { name: 'Mails that the service gave up on' })
    .getByText('550 No such mailbox', { exact: true })
    .first()
    .waitFor();
  await expectAccessible(page);
  expect(await button(page, 'Retry the mail to late@example.org').getAttribute('aria-disabled')).toBe('true');
  await button(page, 'Retry the mail to ada@example.org').click();
  await button(page, 'Retry the mail to ada@example.org').waitFor({ state: 'detached' });
  await mail.deliverDue();
  await expect.poll(() => mailsTo(dashboard.app, 'ada@example.org')).toHaveLength(1);

  await link(page, 'Jobs').click();
  await page.getByText('The disk is full.').filter({ visible: true }).waitFor();
  await expectAccessible(page);
  await button(page, 'Retry Recording of revenue of platform').click();
  await page.getByText('No failed jobs').waitFor();
});

test('a feature flag with mistakes is refused at their lines, then saved, and tested for a tenant before and after', async () => {
  dashboard.expectFailure(/^422 \/api\/v1\/admin\/feature-flags/);
  await dashboard.newTenant('Tidewater Games');
  const page = await open('/admin/feature-flags');
  await page.getByText('No feature flags yet').waitFor();
  await button(page, 'New feature flag').first().click();
  await heading(page, 'New feature flag').waitFor();
  const definition = page.getByRole('textbox', { name: 'Definition' });
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill('new-editor');
  await definition.fill(
    '{\n  "state": "ON",\n  "variants": { "on": true, "off": "no" },\n  "defaultVariant": "off"\n}',
  );
  await button(page, 'Create feature flag').click();
  await page.getByRole('alert').getByText('state').first().waitFor();
  await button(page, 'Line 2').click();
  expect(await definition.evaluate((field) => field === document.activeElement)).toBe(true);
  await expectAccessible(page);

  const rule = { if: [{ '==': [{ var: 'country' }, 'gb'] }, 'on', 'off'] };
  const valid = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off', targeting: rule };
  await definition.fill(JSON.stringify(valid));
  await page.getByRole('combobox', { name: 'Tenant' }).fill('tidew');
  await page.getByRole('option', { name: /Tidewater Games/ }).click();
  await page.getByRole('textbox', { name: 'Context' }).fill('{"country": "gb"}');
  await button(page, 'Evaluate').click();
  await page.getByText('A rule selected this variant.').waitFor();
  await button(page, 'Create feature flag').click();
  await heading(page, 'new-editor').waitFor();
  await page.reload();
  await heading(page, 'new-editor').waitFor();
  await expectAccessible(page);

  await button(page, 'Delete feature flag').click();
  await dialog(page, 'Delete feature flag').getByRole('textbox').fill('new-editor');
  await dialog(page, 'Delete feature flag').getByRole('button', { name: 'Delete feature flag' }).click();
  await page.getByText('No feature flags yet').waitFor();
});

test('a super admin invites an admin, changes a role and disables an admin, but not their own account', async () => {
  const { app } = dashboard;
  const other = await addAdmin(app, 'admin');
  const page = await open('/admin/admins?panel=invite');
  const invite = dialog(page, 'Invite admin');
  await invite.getByLabel('Email').fill('mary@example.com');
  await invite.getByLabel('Name').fill('Mary Jackson');
  await expectAccessible(page);
  await button(page, 'Send invitation').click();
  await page.getByRole('row').filter({ hasText: 'mary@example.com' }).getByText('Invited').waitFor();
  await expect.poll(async () => (await mailsTo(app, 'mary@example.com')).join()).toContain('accept-invitation#token=');

  const own = page.getByRole('row').filter({ hasText: dashboard.admin.email });
  await own.getByText('You', { exact: true }).waitFor();
  await expect.poll(() => own.getByRole('button').count()).toBe(0);

  const row = page.getByRole('row').filter({ hasText: other.email });
  await row.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await dialog(page, 'Change role').getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: /Billing readonly/ }).click();
  await button(page, 'Save').click();
  await row.getByText('Billing readonly').waitFor();
  await row.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Disable admin' }).click();
  await dialog(page, 'Disable admin').getByRole('button', { name: 'Disable admin' }).click();
  await row.getByText('Disabled').waitFor();
});

test.each([
  ['admin', false],
  ['billing_readonly', true],
  ['billing_admin', true],
  ['auditor', true],
] as const)('an admin with the role %s is offered what the role may do', async (role, readsBilling) => {
  const admin = await createAdmin(dashboard.app, role);
  const page = await open('/admin/admins', admin);
  await page.getByText('Only super admins can manage admins').waitFor();
  const main = page.getByRole('navigation', { name: 'Main' });
  expect(await main.getByRole('link', { name: 'Billing' }).count()).toBe(readsBilling ? 1 : 0);
  await main.getByRole('link', { name: 'Subscriptions' }).click();
  await heading(page, 'Subscriptions').waitFor();
  expect(await link(page, 'Dunning').count()).toBe(readsBilling ? 1 : 0);
  await main.getByRole('link', { name: 'Rate limits' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rate limits' }).waitFor();
});

test('the billing administration has no tab of the payment sandbox without one, and its address says so', async () => {
  dashboard.expectFailure(/^404 .*\/sandbox\/clock$/);
  const page = await open('/admin/billing');
  await page.getByText('No revenue yet').waitFor();
  const tabs = ['Revenue', 'Provider events', 'Authorization log'];
  expect(await page.getByRole('tab').allTextContents()).toEqual(tabs);
  await page.goto(`${dashboard.origin}/admin/billing?tab=sandbox`);
  await page.getByText('This service has no payment sandbox').waitFor();
  await page.goto(`${dashboard.origin}/admin/billing?tab=orphans`);
  await page.getByText('No orphans').waitFor();
  expect(await page.getByRole('tab').allTextContents()).toEqual([...tabs, 'Orphans']);
});

test('each role says what it may do where it is chosen, as the service states it', async () => {
  const page = await open('/admin/admins?panel=invite');
  const invite = dialog(page, 'Invite admin');
  await invite.getByRole('combobox', { name: 'Role' }).click();
  for (const [role, { description }] of Object.entries(adminRoles)) {
    await page
      .getByRole('option', { name: new RegExp(`^${words(role)}`) })
      .getByText(description)
      .waitFor();
  }
  await expectAccessible(page);
  await page.getByRole('option', { name: /^Auditor/ }).click();
  await invite.getByText('Platform and tenants: reads').waitFor();
  await invite.getByText('Admins: no').waitFor();
  await expectAccessible(page);
});

test('an admin who loses the role while a form is open keeps the input and reads why the service refuses', async () => {
  const { app } = dashboard;
  dashboard.expectFailure(/^403 \/api\/v1\/admin\/admins/);
  const admin = await createAdmin(app);
  const page = await open('/admin/admins?panel=invite', admin);
  const invite = dialog(page, 'Invite admin');
  await invite.getByLabel('Email').fill('dorothy@example.com');
  await invite.getByLabel('Name').fill('Dorothy Vaughan');
  const url = `/api/v1/admin/admins/${admin.id}`;
  await app.request({ method: 'PATCH', url, headers: dashboard.admin.auth, payload: { role: 'admin' } });
  await button(page, 'Send invitation').click();
  const alert = invite.getByRole('alert');
  await alert.getByText('This requires the admin role super_admin').waitFor();
  await alert.getByText('A super admin can change your role under Admins.').waitFor();
  expect(await invite.getByLabel('Email').inputValue()).toBe('dorothy@example.com');
});
