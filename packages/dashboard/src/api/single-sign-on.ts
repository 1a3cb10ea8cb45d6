import { queryOptions } from '@tanstack/react-query';
import { deviceName } from '../lib/device-name.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { storeLogin } from './identity.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';
import type { Area } from './session.ts';

/** An identity at the provider with which the user can log in. */
export type Identity = components['schemas']['Identity'];

const user = { area: 'tenant', tenantId: null } as const;

/** Reads whether single sign-on is on, its name, and for whom. */
export function singleSignOnQuery() {
  return queryOptions({
    queryKey: keyOf(user, 'single-sign-on'),
    queryFn: () => dataOf(apiOf(user).GET('/api/v1/auth/oidc')),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns the address that leads the browser to the provider and back to `next`. It is no call: the browser opens it. */
export function singleSignOnPath(area: Area, next: string | undefined): string {
  const query = new URLSearchParams({ ability: area, ...(next !== undefined && { return_to: next }) });
  return `/api/v1/auth/oidc/start?${query}`;
}

/** Exchanges the code of a login at the provider for a session, and stores the session for all tabs. */
export async function finishSingleSignOn(area: Area, code: string, secondFactor?: string) {
  const proof = { code, ...(secondFactor !== undefined && { two_factor_code: secondFactor }) };
  const body = { ...proof, device_name: deviceName(navigator.userAgent) };
  return storeLogin(await dataOf(apiOf({ area, tenantId: null }).POST('/api/v1/auth/oidc/token', { body })));
}

/** Reads the identities with which the user can log in. */
export function identitiesQuery() {
  return queryOptions({
    queryKey: keyOf(user, 'identities'),
    queryFn: () => bodyOf(apiOf(user).GET('/api/v1/account/identities')),
  });
}

/** Unlinks an identity of the user. */
export async function unlinkIdentity(id: string): Promise<void> {
  await bodyOf(apiOf(user).DELETE('/api/v1/account/identities/{id}', { params: { path: { id } } }));
}
