import { queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onArea, onPlatform, onUser } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';
import { type Area, readSession } from './session.ts';

/** The current user's account. */
export type Account = components['schemas']['Account'];

/** An export of the person's data. */
export type AccountExport = components['schemas']['AccountExport'];

const user = { area: 'tenant', tenantId: null } as const;
const pollIntervalMs = 1_500;

/** Reads the current user's account. */
export const accountQuery = onUser.one('/api/v1/account', ['account']);

/** Changes the name or the password of the user. */
export const updateAccount = onUser.PUT('/api/v1/account');

/** An open invitation of the user to a tenant. */
export type AccountInvitation = components['schemas']['AccountInvitation'];

/** Reads the open invitations of the user. */
export const invitationsQuery = onUser.list('/api/v1/account/invitations', ['invitations']);

/** Accepts an invitation of the user. */
export const acceptOwnInvitation = onUser.POST('/api/v1/account/invitations/{id}/accept');

/** Declines an invitation of the user. */
export const declineOwnInvitation = onUser.POST('/api/v1/account/invitations/{id}/decline');

/** Schedules the deletion of the account. */
export const scheduleDeletion = onUser.POST('/api/v1/account/deletion');

/** Cancels the scheduled deletion of the account. */
export const cancelDeletion = onUser.DELETE('/api/v1/account/deletion');

/** Requests a change of the address, which a mailed link confirms. */
export const requestEmailChange = onUser.POST('/api/v1/account/email');

/** Cancels the change of the address that waits for its confirmation. */
export const cancelEmailChange = onUser.DELETE('/api/v1/account/email');

/** Returns whether an export is still being made. */
export function isUnfinished({ status }: AccountExport): boolean {
  return status === 'pending' || status === 'running';
}

/** Reads the newest export; null without one. */
export function latestExportQuery() {
  return queryOptions({
    queryKey: keyOf(user, 'exports'),
    queryFn: async () => (await dataOf(apiOf(user).GET('/api/v1/account/exports')))[0] ?? null,
  });
}

/** Reads the progress of an export while it is being made and the tab is visible. */
export function exportProgressQuery(job: AccountExport | null | undefined) {
  const id = job?.id ?? '';
  return queryOptions({
    queryKey: keyOf(user, 'exports', id),
    queryFn: () => dataOf(apiOf(user).GET('/api/v1/account/exports/{id}', { params: { path: { id } } })),
    enabled: job != null && isUnfinished(job),
    refetchInterval: ({ state }) => (state.data && !isUnfinished(state.data) ? false : pollIntervalMs),
  });
}

/** Requests an export. */
export const requestExport = onUser.POST('/api/v1/account/export');

/** Returns the file of a finished export. */
export const downloadExport = onUser.file('/api/v1/account/exports/{id}/download');

/** Reads whether the current user of an area has two-factor authentication. */
export function twoFactorQuery(area: Area) {
  const person = { area, tenantId: null };
  return queryOptions({
    queryKey: keyOf(person, 'two-factor'),
    queryFn: () => dataOf(apiOf(person).GET('/api/v1/auth/two-factor')),
    enabled: readSession(area) !== null,
  });
}

/** Starts setting up an authenticator app. Returns its secret, which is shown once. */
export const startTwoFactorSetup = onArea.POST('/api/v1/auth/two-factor/setup');

/** Turns two-factor authentication on. Returns the recovery codes. */
export const confirmTwoFactor = onArea.POST('/api/v1/auth/two-factor/confirm');

/** Replaces the recovery codes and returns the new ones. */
export const replaceRecoveryCodes = onArea.POST('/api/v1/auth/two-factor/recovery-codes');

/** Turns two-factor authentication off. */
export const disableTwoFactor = onArea.DELETE('/api/v1/auth/two-factor');

/** Reads the account of the current admin. */
export const adminAccountQuery = onPlatform.one('/api/v1/admin/account', ['account']);

/** Changes the name or the password of the admin. */
export const updateAdminAccount = onPlatform.PUT('/api/v1/admin/account');

/** A login that has not ended. */
export type Session = components['schemas']['Session'];

const person = (area: Area) => ({ area, tenantId: null });

/** Reads a page of the sessions of the current user or admin. */
export function sessionsQuery(area: Area, cursor: string | undefined) {
  const query = { limit: 10, ...(cursor !== undefined && { cursor }) };
  const api = apiOf(person(area));
  return queryOptions({
    queryKey: [...sessionsKey(area), query],
    queryFn: () =>
      area === 'admin'
        ? bodyOf(api.GET('/api/v1/admin/account/sessions', { params: { query } }))
        : bodyOf(api.GET('/api/v1/account/sessions', { params: { query } })),
    // Another device may log in or out at any time.
    staleTime: 0,
  });
}

/** Query-key prefix of sessions. */
export const sessionsKey = (area: Area) => keyOf(person(area), 'sessions');

/** Ends a session. */
export async function revokeSession(area: Area, id: string): Promise<void> {
  const api = apiOf(person(area));
  const params = { path: { id } };
  await (area === 'admin'
    ? bodyOf(api.DELETE('/api/v1/admin/account/sessions/{id}', { params }))
    : bodyOf(api.DELETE('/api/v1/account/sessions/{id}', { params })));
}

/** Ends every session except the current one. Returns how many there were. */
export async function revokeOtherSessions(area: Area): Promise<number> {
  const api = apiOf(person(area));
  const { revoked_count } = await (area === 'admin'
    ? dataOf(api.DELETE('/api/v1/admin/account/sessions'))
    : dataOf(api.DELETE('/api/v1/account/sessions')));
  return revoked_count;
}
