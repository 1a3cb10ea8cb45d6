import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/chromium.ts';
import { addAccount, addMember, membersWith } from '../../server/test/accounts/members.ts';
import { type Account, createUser, type TestTenant } from '../../server/test/support/accounts.ts';
import { mailedToken, mailsTo } from '../../server/test/support/mails.ts';
import { button, expectAccessible, narrow, useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await dashboard.newTenant('Acme');
});

const rowOf = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email });

async function openMembers(person: Account): Promise<Page> {
  const page = await dashboard.open(person, '/members');
  await page.getByRole('table', { name: 'Members and open invitations' }).getByText('Active').first().waitFor();
  return page;
}

test('an owner invites a person, changes the role of the invitation and withdraws it', async () => {
  const { owner } = tenant;
  dashboard.expectFailure(/^409 \/api\/v1\/tenant\/members/);
  const page = await openMembers(owner);
  await button(page, 'Invite member').click();
  const form = page.getByRole('dialog', { name: 'Invite member' });
  await form.getByLabel('Email').fill(owner.email);
  await form.getByRole('radio', { name: 'Admin' }).click();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Invite member' }).click();
  await form.getByText('This person is a member already. Enter another address.').waitFor();
  await form.getByLabel('Email').fill('grace@example.com');
  await form.getByRole('button', { name: 'Invite member' }).click();
  const row = rowOf(page, 'grace@example.com');
  await row.getByRole('cell', { name: 'Invited', exact: true }).waitFor();
  await row.getByRole('cell', { name: 'Admin', exact: true }).waitFor();
  await page.reload();

  await button(page, 'Actions for grace@example.com').click();
  await page.getByRole('menuitem', { name: 'Send again' }).click();
  await page.getByText('We sent a new invitation').waitFor();
  const mails = async () => (await mailsTo(dashboard.app, 'grace@example.com')).length;
  await expect.poll(mails).toBe(2);
  await button(page, 'Actions for grace@example.com').click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await page.getByRole('dialog', { name: 'Change role' }).getByRole('radio', { name: 'Viewer' }).click();
  await button(page, 'Change role').click();
  await row.getByRole('cell', { name: 'Viewer', exact: true }).waitFor();

  await button(page, 'Actions for grace@example.com').click();
  await page.getByRole('menuitem', { name: 'Withdraw invitation' }).click();
  await page.getByRole('dialog').getByText('stops working').waitFor();
  await button(page, 'Withdraw invitation').click();
  await row.waitFor({ state: 'detached' });
});

test('a member is invited to become an owner, sees the invitation in the account and accepts it', async () => {
  const other = await dashboard.newTenant('Umbrella');
  const person = await addAccount(dashboard.app, other, 'viewer');
  const page = await openMembers(other.owner);
  await rowOf(page, person.email).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await page.getByRole('dialog', { name: 'Change role' }).getByRole('radio', { name: 'Owner' }).click();
  await button(page, 'Change role').click();
  await page.getByText('as an owner. They become an owner when they accept').waitFor();
  const own = await dashboard.open(person, '/account');
  await own.getByRole('table', { name: 'Your invitations' }).waitFor();
  await expectAccessible(own);
  await button(own, 'Accept the invitation to Umbrella').click();
  await own.getByText('You are now a member of the tenant.').waitFor();
  const roles = (await membersWith(other, person.email)).map(({ role }: { role: string }) => role);
  expect(roles).toEqual(['owner']);
});

test('a person with an account accepts one invitation by its link and declines another one', async () => {
  const user = await createUser(dashboard.app);
  for (const [label, name] of [
    ['Decline', 'Initech'],
    ['Accept the invitation', 'Globex'],
  ] as const) {
    const other = await dashboard.newTenant(name);
    await addMember(other, user.email, 'viewer');
    const token = await mailedToken(dashboard.app, user.email);
    const page = await dashboard.open(user, `/accept-invitation#token=${token}`);
    await page.getByRole('heading', { name: `Join ${name}` }).waitFor();
    await expect.poll(() => page.getByLabel('Password').count()).toBe(0);
    await button(page, label).click();
    if (label === 'Decline') await page.getByText('You declined the invitation.').waitFor();
    else await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const statuses = (await membersWith(other, user.email)).map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(label === 'Decline' ? [] : ['active']);
  }
});

test('the removal of a person says that the access tokens of the person stay valid', async () => {
  const person = await addAccount(dashboard.app, tenant, 'admin');
  const body = { name: 'Deploy', role: 'viewer' };
  const headers = { ...person.auth, 'x-tenant-id': tenant.id };
  await dashboard.app.request({ method: 'POST', url: '/api/v1/tenant/access-tokens', headers, payload: body });
  const page = await openMembers(tenant.owner);
  await button(page, 'Actions for Ada Lovelace').first().waitFor();
  await rowOf(page, person.email).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Remove member' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove member' });
  await dialog.getByText('1 access token that this person created stays valid.').waitFor();
  await expectAccessible(page);
  await button(page, 'Remove member').click();
  await rowOf(page, person.email).waitFor({ state: 'detached' });
});

test('the last owner cannot leave, and the dialog says why', async () => {
  dashboard.expectFailure(/^409 \/api\/v1\/tenant\/members/);
  const page = await openMembers(tenant.owner);
  await rowOf(page, tenant.owner.email).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change role' });
  await dialog.getByRole('radio', { name: 'Viewer' }).click();
  await button(page, 'Change role').click();
  await dialog.getByRole('alert').getByText(/owner/).waitFor();
});

test.each(['admin', 'viewer'])('the role %s sees the members and is offered no change', async (role) => {
  const page = await openMembers(await addAccount(dashboard.app, tenant, role));
  await page.getByText('Only owners can invite members').waitFor();
  await expect.poll(() => button(page, 'Invite member').count()).toBe(0);
  await expect.poll(() => page.getByRole('table').getByRole('button').count()).toBe(0);
});

test('an admin of the platform reads the members of a tenant on a narrow screen', async () => {
  const page = await dashboard.open(dashboard.admin, `/admin/tenants/${tenant.id}/members?role=owner`, narrow);
  await rowOf(page, tenant.owner.email).waitFor();
  await expect.poll(() => button(page, 'Invite member').count()).toBe(0);
  await expectAccessible(page);
});
