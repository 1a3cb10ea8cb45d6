import { type Account, freshAddress, testPassword } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';

/** Sends a request to the account routes as a user. */
export function asUser(
  app: TestApp,
  { auth }: Pick<Account, 'auth'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
): Promise<Answer> {
  const url = `/api/v1/account${path}`;
  return app.request({ method, url, headers: auth, remoteAddress: freshAddress(), ...(payload && { payload }) });
}

/** Requests the deletion of a user's account. */
export function askForDeletion(app: TestApp, account: Pick<Account, 'auth'>): Promise<Answer> {
  return asUser(app, account, 'POST', '/deletion', { password: testPassword });
}
