import { newId } from '../../src/lib/ids.ts';
import { asUser } from '../accounts/account-data.ts';
import { type Account, logIn } from '../support/accounts.ts';
import type { TestApp } from '../support/harness.ts';
import type { LiveRoute } from '../support/routes.ts';
import { isOfIdentity } from './credentials.ts';

/** What requests can use up. Each costs many requests or a hash of a password, and most routes need one of them. */
export const parts = ['data', 'spare token', 'sessions', 'identity', 'holder'] as const;
export type Part = (typeof parts)[number];

/** Returns what a route uses up or names. */
export function partsOf({ path }: LiveRoute): readonly Part[] {
  if (isOfIdentity(path)) return ['spare token'];
  if (path.includes('/sessions/')) return ['sessions'];
  if (path.includes('/identities/')) return ['identity'];
  return path.includes('/portal/{handle}') ? ['data', 'holder'] : ['data'];
}

/** Logs an admin in once more and returns the id of the session. */
export async function startAdminSession(app: TestApp, { email, auth }: Account): Promise<string> {
  await logIn(app, email, 'admin');
  const url = '/api/v1/admin/account/sessions?limit=1';
  return (await app.request({ method: 'GET', url, headers: auth })).body.data[0].id;
}

/** Links an identity of single sign-on to a user, and returns its id. */
export async function linkIdentity(app: TestApp, { id: user_id, email }: Account): Promise<string> {
  const [id, linked_at] = [newId(), app.services.clock.now()];
  const issuer = `https://${id}.example.com`;
  const identity = { id, user_id, issuer, subject: id, email, linked_at, last_used_at: linked_at };
  await app.services.platform.query.insertInto('user_identities').values(identity).execute();
  return id;
}

/** Logs in once more and returns the id of the session. */
export async function startSession(app: TestApp, account: Account): Promise<string> {
  await logIn(app, account.email, 'tenant');
  return (await asUser(app, account, 'GET', '/sessions?limit=1')).body.data[0].id;
}
