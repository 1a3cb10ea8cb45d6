import { newId } from '../../src/lib/ids.ts';
import { type Account, createUser, type TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { created } from '../support/licensing-catalog.ts';

/** Returns an unused email address. */
export const newEmail = () => `person-${newId()}@example.com`;

/** Sends a request through the tenant surface as a member. */
export function sendAs(
  app: TestApp,
  account: Account,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
): Promise<Answer> {
  const url = `/api/v1/tenant${path}`;
  return app.request({ method, url, headers: account.auth, ...(payload && { payload }) });
}

/** Invites an address as the tenant's first owner, and returns the member. */
export async function addMember(tenant: TestTenant, email: string, role: string) {
  return created(await tenant.asOwner('POST', '/members', { email, role }));
}

/** Sends a request about the invitations of an account. */
export function sendInvited(app: TestApp, account: Pick<Account, 'auth'>, method: 'GET' | 'POST', path = '') {
  return app.request({ method, url: `/api/v1/account/invitations${path}`, headers: account.auth });
}

/** Invites an account to a tenant and accepts the invitation. Returns the id of the member. */
export async function addExisting(
  app: TestApp,
  tenant: TestTenant,
  account: Pick<Account, 'email' | 'auth'>,
  role: string,
): Promise<string> {
  const { id } = await addMember(tenant, account.email, role);
  const accepted = await sendInvited(app, account, 'POST', `/${id}/accept`);
  if (accepted.status !== 200) throw new Error(`The invitation was not accepted: ${accepted.text}`);
  return String(id);
}

/** Creates a user who can log in and who accepts an invitation to the tenant. */
export async function addAccount(app: TestApp, tenant: TestTenant, role: string) {
  const user = await createUser(app);
  return { ...user, memberId: await addExisting(app, tenant, user, role) };
}

/** Returns the members and invitations with an address. */
export async function membersWith(tenant: TestTenant, email: string) {
  return (await tenant.asOwner('GET', `/members?email=${encodeURIComponent(email)}`)).body.data;
}

/** Disables a user. */
export async function disableUser(app: TestApp, userId: string): Promise<void> {
  const { clock, platform } = app.services;
  await platform.query.updateTable('users').set({ disabled_at: clock.now() }).where('id', '=', userId).execute();
}
