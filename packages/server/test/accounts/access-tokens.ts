import type { TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { created } from '../support/licensing-catalog.ts';

/** A new access token: its id, and the secret that only the response to its creation contains. */
export interface NewAccessToken {
  readonly id: string;
  readonly token: string;
}

/** Creates an access token as the tenant's owner; with the role `admin` unless another is given. */
export async function newAccessToken(
  tenant: Pick<TestTenant, 'asOwner'>,
  fields: object = {},
): Promise<NewAccessToken> {
  return created(await tenant.asOwner('POST', '/access-tokens', { name: 'Shop', role: 'admin', ...fields }));
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Sends a request with a bearer token. Paths without `/api` or `/ofrep` are relative to the tenant surface. */
export function sendWith(
  app: TestApp,
  token: string,
  method: Method,
  path: string,
  { payload, headers = {} }: { payload?: object; headers?: Readonly<Record<string, string | string[]>> } = {},
): Promise<Answer> {
  const url = /^\/(api|ofrep)\//.test(path) ? path : `/api/v1/tenant${path}`;
  const sent = { authorization: `Bearer ${token}`, ...headers };
  return app.request({ method, url, headers: sent as Record<string, string>, ...(payload && { payload }) });
}

/** Returns the status of a response and its error code, if it has one. */
export function outcome({ status, body }: Answer): readonly [number, string | undefined] {
  return [status, body?.error?.code];
}
