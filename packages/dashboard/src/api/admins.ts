import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import type { components, operations } from './schema.gen.ts';

export type Admin = components['schemas']['Admin'];
type AdminFilters = NonNullable<operations['adminListAdmins']['parameters']['query']>;

/** Reads one page of the admins, newest first. */
export function adminsQuery(filters: AdminFilters) {
  return queryOptions({
    queryKey: platformKey('admins', 'list', filters),
    queryFn: () => bodyOf(platformApi().GET('/api/v1/admin/admins', { params: { query: filters } })),
    placeholderData: keepPreviousData,
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
