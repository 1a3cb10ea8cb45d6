import { onPlatform } from './endpoints.ts';
import type { components } from './schema.gen.ts';

export type PlatformUser = components['schemas']['PlatformUser'];
export type PlatformUserDetail = components['schemas']['PlatformUserDetail'];

/** Reads one page of the users of all tenants, newest first. */
export const usersQuery = onPlatform.list('/api/v1/admin/users', ['users', 'list']);

/** Reads a user with memberships and sessions. */
export const userQuery = onPlatform.one('/api/v1/admin/users/{id}', ['users']);

/** Ends every session of a user and prevents logins. */
export const disableUser = onPlatform.POST('/api/v1/admin/users/{id}/disable');

/** Lets a disabled user log in again. */
export const enableUser = onPlatform.POST('/api/v1/admin/users/{id}/enable');

/** Mails a user a link to choose a password. */
export const sendPasswordReset = onPlatform.POST('/api/v1/admin/users/{id}/send-password-reset');

export type Admin = components['schemas']['Admin'];

/** Reads one page of the admins, newest first. */
export const adminsQuery = onPlatform.list('/api/v1/admin/admins', ['admins', 'list']);

/** What an admin's role may do. */
export type AdminRoleView = components['schemas']['AdminRoleView'];

/** Reads the roles of admins, from the lowest. They change only with a new version of the service. */
export const adminRolesQuery = onPlatform.one('/api/v1/admin/admins/roles', ['admins', 'roles'], {
  staleTime: Number.POSITIVE_INFINITY,
});

/** Invites an admin by mail. */
export const inviteAdmin = onPlatform.POST('/api/v1/admin/admins');

/** Changes the role of an admin, or disables or enables one. */
export const updateAdmin = onPlatform.PATCH('/api/v1/admin/admins/{id}');
