import { queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import { listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type PlatformUser = components['schemas']['PlatformUser'];
export type PlatformUserDetail = components['schemas']['PlatformUserDetail'];
type UserFilters = NonNullable<operations['adminListUsers']['parameters']['query']>;

/** Reads one page of the users of all tenants, newest first. */
export function usersQuery(filters: UserFilters) {
  return listQuery(platformKey('users', 'list', filters), () =>
    bodyOf(platformApi().GET('/api/v1/admin/users', { params: { query: filters } })),
  );
}

/** Reads a user with memberships and sessions. */
export function userQuery(id: string) {
  return queryOptions({
    queryKey: platformKey('users', id),
    queryFn: () => dataOf(platformApi().GET('/api/v1/admin/users/{id}', { params: { path: { id } } })),
  });
}

/** Ends every session of a user and prevents logins. */
export function disableUser(id: string): Promise<PlatformUserDetail> {
  return dataOf(platformApi().POST('/api/v1/admin/users/{id}/disable', { params: { path: { id } } }));
}

/** Lets a disabled user log in again. */
export function enableUser(id: string): Promise<PlatformUserDetail> {
  return dataOf(platformApi().POST('/api/v1/admin/users/{id}/enable', { params: { path: { id } } }));
}

/** Mails a user a link to choose a password. */
export function sendPasswordReset(id: string): Promise<PlatformUserDetail> {
  return dataOf(platformApi().POST('/api/v1/admin/users/{id}/send-password-reset', { params: { path: { id } } }));
}

export type Admin = components['schemas']['Admin'];
type AdminFilters = NonNullable<operations['adminListAdmins']['parameters']['query']>;

/** Reads one page of the admins, newest first. */
export function adminsQuery(filters: AdminFilters) {
  return listQuery(platformKey('admins', 'list', filters), () =>
    bodyOf(platformApi().GET('/api/v1/admin/admins', { params: { query: filters } })),
  );
}

/** What an admin's role may do. */
export type AdminRoleView = components['schemas']['AdminRoleView'];

/** Reads the roles of admins, from the lowest. They change only with a new version of the service. */
export function adminRolesQuery() {
  return queryOptions({
    queryKey: platformKey('admins', 'roles'),
    queryFn: () => dataOf(platformApi().GET('/api/v1/admin/admins/roles')),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Invites an admin by mail. */
export function inviteAdmin(body: components['schemas']['InviteAdmin']): Promise<Admin> {
  return dataOf(platformApi().POST('/api/v1/admin/admins', { body }));
}

/** Changes the role of an admin, or disables or enables one. */
export function updateAdmin(id: string, body: components['schemas']['UpdateAdmin']): Promise<Admin> {
  return dataOf(platformApi().PATCH('/api/v1/admin/admins/{id}', { params: { path: { id } }, body }));
}
