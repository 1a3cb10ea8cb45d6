import { deviceName } from '../lib/device-name.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onUser } from './endpoints.ts';
import { type Me, meQuery } from './me.ts';
import { Problem } from './problem.ts';
import { queryClient } from './query-client.ts';
import type { components } from './schema.gen.ts';
import { type Area, writeSession } from './session.ts';

/** An invitation that its token describes before it is accepted. */
export type Invitation = components['schemas']['Invitation'];

/** What a person enters to log in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The code of the authenticator app, or a recovery code. */
  readonly code?: string;
}

const publicApi = (area: Area = 'tenant') => apiOf({ area, tenantId: null });

/** The answer to a login. */
export type LoginResult = components['schemas']['LoginResult'];

/** Stores the session of a login for all tabs, and returns the login. */
function storeLogin(login: LoginResult): LoginResult {
  // The cache may contain what another person has read. The same person who logs in again keeps the open page and its
  // input, and that page needs the cache.
  const isSamePerson = idOf(queryClient.getQueryData(meQuery(login.ability).queryKey)) === idOf(login);
  if (!isSamePerson) queryClient.clear();
  writeSession(login.ability, { token: login.access_token, expiresAt: login.expires_at });
  return login;
}

function idOf(person: Pick<Me, 'user' | 'admin'> | undefined): string | undefined {
  return person?.user?.id ?? person?.admin?.id;
}

/** Logs in and stores the session for all tabs. */
export async function logIn(area: Area, { email, password, code }: Credentials) {
  const proof = { email, password, ...(code !== undefined && { code }) };
  const body = { ...proof, ability: area, device_name: deviceName(navigator.userAgent) };
  return storeLogin(await dataOf(publicApi(area).POST('/api/v1/auth/login', { body })));
}

/** Creates a user. The answer is the same if the address has an account already. */
export const register = onUser.POST('/api/v1/auth/register');

/** Reads who can create an account. */
export const signUpQuery = onUser.one('/api/v1/auth/sign-up', ['sign-up'], { staleTime: Number.POSITIVE_INFINITY });

/** Verifies the current user's address with the token of a mailed link. */
export const verifyEmail = onUser.POST('/api/v1/auth/email/verify');

/** Mails the current user a new link that verifies the address. */
export const resendVerification = onUser.POST('/api/v1/auth/email/resend');

/** Mails a link to choose a password, if the address has an account. */
export const requestPasswordReset = onUser.POST('/api/v1/auth/forgot-password');

/** Chooses a password with the token of a mailed link, and ends every session of the person. */
export const resetPassword = onUser.POST('/api/v1/auth/reset-password');

/** Confirms a new address with the token of a mailed link. Returns the address. */
export const confirmEmailChange = onUser.POST('/api/v1/auth/change-email');

/** Undoes a change of the address with the token of a mailed link, and ends every session. Returns the address. */
export const revertEmailChange = onUser.POST('/api/v1/auth/revert-email');

/** Turns two-factor authentication off again with the token of a mailed link, and ends every session. */
export const undoTwoFactor = onUser.POST('/api/v1/auth/undo-two-factor');

/** Describes the invitation of a mailed token. */
export const readInvitation = onUser.POST('/api/v1/auth/invitation');

/** Accepts an invitation. The person can log in afterwards. */
export const acceptInvitation = onUser.POST('/api/v1/auth/accept-invitation');

/** Declines an invitation to a tenant. */
export const declineInvitation = onUser.POST('/api/v1/auth/decline-invitation');

/** Returns whether the installation demands two-factor authentication of its admins and this admin has none yet. */
export async function mustSetUpTwoFactor(): Promise<boolean> {
  try {
    await bodyOf(publicApi('admin').GET('/api/v1/admin/tenants', { params: { query: { limit: 1 } } }));
    return false;
  } catch (error) {
    return error instanceof Problem && error.code === 'AUTH.TWO_FACTOR_SETUP_REQUIRED';
  }
}

/** An identity at the provider with which the user can log in. */
export type Identity = components['schemas']['Identity'];

/** Reads whether single sign-on is on, its name, and for whom. */
export const singleSignOnQuery = onUser.one('/api/v1/auth/oidc', ['single-sign-on'], {
  staleTime: Number.POSITIVE_INFINITY,
});

/** Returns the address that leads the browser to the provider and back to `next`. The browser opens it; it is not called with fetch. */
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
export const identitiesQuery = onUser.list('/api/v1/account/identities', ['identities']);

/** Unlinks an identity of the user. */
export const unlinkIdentity = onUser.DELETE('/api/v1/account/identities/{id}');
