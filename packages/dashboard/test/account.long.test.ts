import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { type Account, createAdmin, logIn, testPassword } from '../../server/test/support/accounts.ts';
import { mailsTo } from '../../server/test/support/mails.ts';
import { oneTimeCode } from '../../server/test/support/one-time-code.ts';
import { button, expectAccessible, heading, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const openAccount = (person: Account, path = '/account') => dashboard.open(person, path);

test('a person sets up two-factor authentication, stores the recovery codes, replaces them and turns it off', async () => {
  dashboard.expectFailure(/^401 \/api\/v1\/auth\/two-factor/);
  const { owner } = await dashboard.newTenant('Protected');
  const page = await openAccount(owner);
  const twoFactor = section(page, 'Two-factor authentication');
  await twoFactor.getByText('Off').waitFor();
  await expectAccessible(page);
  await button(page, 'Set up').click();
  const dialog = page.getByRole('dialog', { name: 'Set up two-factor authentication' });
  await dialog.getByLabel('Password', { exact: true }).fill('not my password');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('alert').getByText('The password is incorrect.').waitFor();
  await dialog.getByLabel('Password', { exact: true }).fill(testPassword);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  await expectAccessible(page);
  const secret = (await dialog.getByText(/^[A-Z2-7]{32,}$/).textContent()) ?? '';
  dashboard.app.secrets.note(secret);
  await dialog.getByLabel('Code', { exact: true }).fill(oneTimeCode(secret));
  await dialog.getByRole('button', { name: 'Turn on' }).click();

  const codesDialog = page.getByRole('dialog', { name: 'Recovery codes' });
  await codesDialog.getByText('You cannot see it again').waitFor();
  const codes = ((await codesDialog.getByLabel('set of recovery codes').textContent()) ?? '').split('\n');
  for (const code of codes) dashboard.app.secrets.note(code);
  expect(codes).toHaveLength(10);
  await page.keyboard.press('Escape');
  await codesDialog.getByRole('button', { name: 'I have stored it' }).click();
  await codesDialog.waitFor({ state: 'detached' });
  await twoFactor.getByText('10 unused recovery codes').waitFor();
  const storage = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]),
  );
  expect(storage).not.toContain(codes[0]);

  await button(page, 'Replace recovery codes').click();
  const replacing = page.getByRole('dialog', { name: 'Replace recovery codes' });
  await replacing.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
  await replacing.getByRole('button', { name: 'Replace recovery codes' }).click();
  const newCodes = ((await codesDialog.getByLabel('set of recovery codes').textContent()) ?? '').split('\n');
  for (const code of newCodes) dashboard.app.secrets.note(code);
  await codesDialog.getByRole('button', { name: 'I have stored it' }).click();

  await button(page, 'Turn off').click();
  const disabling = page.getByRole('dialog', { name: 'Turn off two-factor authentication' });
  await disabling.getByLabel('Password', { exact: true }).fill(testPassword);
  await disabling.getByLabel('Code', { exact: true }).fill(newCodes[0] ?? '');
  await disabling.getByRole('button', { name: 'Turn off' }).click();
  await twoFactor.getByText('Off').waitFor();
});

test('a session that is ended in another window asks for the password with its next change', async () => {
  dashboard.expectFailure(/^401 /);
  const { owner } = await dashboard.newTenant('Sessions');
  const elsewhere = await openAccount(await logIn(dashboard.app, owner.email, 'tenant'));
  const page = await openAccount(owner);
  const sessions = page.getByRole('table', { name: 'Your sessions' });
  await sessions.getByText('This device').waitFor();
  await sessions.getByRole('button', { name: /^End the session of/ }).click();
  const dialog = page.getByRole('dialog', { name: 'End session' });
  await dialog.getByText('must log in again').waitFor();
  await dialog.getByRole('button', { name: 'End session' }).click();
  await sessions.getByRole('button').waitFor({ state: 'detached' });
  expect(await button(page, 'End all other sessions').isDisabled()).toBe(true);
  await section(elsewhere, 'Profile').getByLabel('Name').fill('Somebody');
  await button(elsewhere, 'Save changes').click();
  await elsewhere.getByRole('dialog', { name: 'Log in again' }).waitFor();
});

test('a new password is checked before it is sent, needs the current one, and keeps this session', async () => {
  dashboard.expectFailure(/^422 \/api\/v1\/account/);
  const { owner } = await dashboard.newTenant('Password');
  const page = await openAccount(owner);
  const password = section(page, 'Password');
  await password.getByLabel('Current password').fill('not my password');
  await password.getByLabel('New password').fill('short');
  await button(page, 'Change password').click();
  await password.getByText('Enter at least 12 characters.').waitFor();
  const chosen = 'a wholly different passphrase';
  dashboard.app.secrets.note(chosen);
  await password.getByLabel('New password').fill(chosen);
  await button(page, 'Change password').click();
  await password.getByText('password is incorrect').waitFor();
  await password.getByLabel('Current password').fill(testPassword);
  await button(page, 'Change password').click();
  await page.getByText('Your password was changed').waitFor();
  expect(await password.getByLabel('Current password').inputValue()).toBe('');
  await page.reload();
  await heading(page, 'Account').waitFor();
});

/** Returns the newest mailed link to a page, as the browser opens it. */
async function mailedLink(email: string, path: string): Promise<string> {
  const newest = (await mailsTo(dashboard.app, email)).at(-1) ?? '';
  const [link = '', token = ''] = new RegExp(`${path}#token=([\\w-]+)`).exec(newest) ?? [];
  dashboard.app.secrets.note(token);
  return link;
}

test('the question mark shows the keyboard shortcuts, but not while the person types', async () => {
  const { owner } = await dashboard.newTenant('Keyboard');
  const page = await openAccount(owner);
  const name = section(page, 'Profile').getByLabel('Name');
  await name.fill('');
  await name.press('?');
  expect(await name.inputValue()).toBe('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(await help.count()).toBe(0);
  await heading(page, 'Account').click();
  await page.keyboard.press('?');
  await help.getByText('Search pages, licenses and actions').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Your menu/ }).click();
  await page.getByRole('menuitem', { name: /^Keyboard shortcuts/ }).click();
  await help.waitFor();
});

test('a person changes the address, confirms it with the mailed link, and the old address undoes it', async () => {
  dashboard.expectFailure(/^(401|422) \/api\/v1\//);
  const { owner } = await dashboard.newTenant('Address');
  const page = await openAccount(owner);
  const part = section(page, 'Email');
  await button(page, 'Change email').click();
  const dialog = page.getByRole('dialog', { name: 'Change email' });
  await dialog.getByLabel('New email').fill('moved@example.com');
  await dialog.getByLabel('Password', { exact: true }).fill('not my password');
  await dialog.getByRole('button', { name: 'Change email' }).click();
  await dialog.getByText('password is incorrect').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Password', { exact: true }).fill(testPassword);
  await dialog.getByRole('button', { name: 'Change email' }).click();
  await part.getByRole('status').getByText('moved@example.com').waitFor();
  await expectAccessible(page);

  await page.goto(await mailedLink('moved@example.com', '/change-email'));
  await expectAccessible(page);
  await button(page, 'Confirm address').click();
  await heading(page, 'Your email was changed').waitFor();
  await page.getByRole('link', { name: 'Open account' }).click();
  await part.getByText('moved@example.com').waitFor();
  await part.getByText('Verified', { exact: true }).waitFor();

  const undo = await mailedLink(owner.email, '/revert-email');
  await page.goto(undo);
  await expectAccessible(page);
  await button(page, 'Undo change').click();
  await heading(page, 'The change was undone').waitFor();
  await page.getByText(owner.email).waitFor();
  await page.getByRole('link', { name: 'Back to login' }).click();
  await heading(page, 'Log in').waitFor();
  await page.goto(undo);
  await button(page, 'Undo change').click();
  await page.getByRole('alert').getByText('Nothing has changed').waitFor();
});

test('a change of the address that waits for its confirmation can be cancelled', async () => {
  const { owner } = await dashboard.newTenant('Cancelled');
  const page = await openAccount(owner);
  await button(page, 'Change email').click();
  const dialog = page.getByRole('dialog', { name: 'Change email' });
  await dialog.getByLabel('New email').fill('never@example.com');
  await dialog.getByLabel('Password', { exact: true }).fill(testPassword);
  await dialog.getByRole('button', { name: 'Change email' }).click();
  await button(page, 'Cancel change').click();
  await button(page, 'Cancel change').waitFor({ state: 'detached' });
  await section(page, 'Email').getByText(owner.email).waitFor();
});

test('an export of the data goes on after a reload and can be downloaded', async () => {
  const { owner } = await dashboard.newTenant('Export');
  const page = await openAccount(owner);
  const part = section(page, 'Data export');
  await part.getByText('You have not exported your data yet.').waitFor();
  await button(page, 'Export my data').click();
  await part.getByText(/The export (is being made|of .* is ready)/).waitFor();
  await page.reload();
  await part.getByText(/The export of .* is ready/).waitFor();
  const downloading = page.waitForEvent('download');
  await part.getByRole('button', { name: 'Download' }).click();
  const file = await readFile(await (await downloading).path(), 'utf8');
  expect(JSON.parse(file).account).toMatchObject([{ email: owner.email }]);
});

test('the deletion of an account needs the password, is refused to the last owner, and can be cancelled', async () => {
  dashboard.expectFailure(/^(409|422) \/api\/v1\/account\/deletion/);
  const tenant = await dashboard.newTenant('Deletion');
  const page = await openAccount(tenant.owner);
  const ask = async (password: string) => {
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
  };
  await button(page, 'Delete account').click();
  await ask('not my password');
  await page.getByText('password is incorrect').waitFor();
  await ask(testPassword);
  await page.getByRole('alert').getByText('You are the last owner of Deletion').waitFor();
  await expectAccessible(page);
  await dashboard.app.request({
    method: 'PATCH',
    url: `/api/v1/admin/tenants/${tenant.id}`,
    headers: dashboard.admin.auth,
    payload: { status: 'closed' },
  });
  await ask(testPassword);
  await page.getByText('Your account will be deleted on').waitFor();
  await page.reload();
  await button(page, 'Cancel deletion').click();
  await button(page, 'Delete account').waitFor();
});

test('an admin changes the own name and password, and ends another session', async () => {
  const self = await createAdmin(dashboard.app, 'billing_readonly');
  await logIn(dashboard.app, self.email, 'admin');
  const page = await openAccount(self, '/admin/account');
  const profile = section(page, 'Profile');
  await profile.getByText('Billing readonly').waitFor();
  await button(page, 'Set up').waitFor();
  await expectAccessible(page);
  await profile.getByLabel('Name').fill('Grace Brewster');
  await profile.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('button', { name: /Grace Brewster/ }).waitFor();
  const sessions = page.getByRole('table', { name: 'Your sessions' });
  await sessions.getByText('This device').waitFor();
  await button(page, 'End all other sessions').click();
  await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click();
  await sessions.getByRole('button').waitFor({ state: 'detached' });
  const password = section(page, 'Password');
  const chosen = 'a wholly different passphrase';
  dashboard.app.secrets.note(chosen);
  await password.getByLabel('Current password').fill(testPassword);
  await password.getByLabel('New password').fill(chosen);
  await button(page, 'Change password').click();
  await page.getByText('Your password was changed').waitFor();
});
