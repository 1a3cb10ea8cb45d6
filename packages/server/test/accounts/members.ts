import { newId } from '../../src/lib/ids.ts';
import { type Account, createUser, type TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { created } from '../support/licensing-catalog.ts';

/** Returns an unused e-mail address. */
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

/** Adds or invites an address as the tenant's first owner, and returns the member. */
export async function addMember(tenant: TestTenant, email: string, role: string) {
  return created(await tenant.asOwner('POST', '/members', { email, role }));
}

/** Creates a user who can log in and adds the user to the tenant. */
export async function addAccount(app: TestApp, tenant: TestTenant, role: string) {
  const user = await createUser(app);
  const { id } = await addMember(tenant, user.email, role);
  return { ...user, memberId: String(id) };
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
