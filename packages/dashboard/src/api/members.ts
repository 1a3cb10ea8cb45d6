import type { Surface } from '../surfaces.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** A member of a tenant, or a person with an open invitation. */
export type Member = components['schemas']['Member'];

/** Query-key prefix of members. */
export function membersKey(surface: Surface): readonly unknown[] {
  return keyOf(surface, 'members');
}

/** Reads a page of members and open invitations. */
export const membersQuery = onSurface.list('/api/v1/tenant/members', ['members']);

/** Invites an address by mail. */
export const addMember = onSurface.POST('/api/v1/tenant/members');

/** Changes the role of a member or of an invitation. */
export const changeRole = onSurface.PUT('/api/v1/tenant/members/{id}');

/** Removes a member, or withdraws an invitation. */
export const removeMember = onSurface.DELETE('/api/v1/tenant/members/{id}');
