import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf, once } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** A member of a tenant, or a person with an open invitation. */
export type Member = components['schemas']['Member'];

/** The filters of the list of members. */
interface MemberFilters {
  readonly role?: Member['role'];
  readonly cursor?: string;
}

/** Query-key prefix of members. */
export function membersKey(surface: Surface): readonly unknown[] {
  return keyOf(surface, 'members');
}

/** Reads a page of members and open invitations. */
export function membersQuery(surface: Surface, filters: MemberFilters) {
  return listQuery([...membersKey(surface), filters], () =>
    bodyOf(apiOf(surface).GET('/api/v1/tenant/members', { params: { query: { ...filters } } })),
  );
}

/** Invites an address by mail. */
export function addMember(
  surface: Surface,
  body: components['schemas']['AddMember'],
  idempotencyKey: string,
): Promise<Member> {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/members', { params: once(idempotencyKey), body }));
}

/** Changes the role of a member or of an invitation. */
export function changeRole(surface: Surface, id: string, role: Member['role']): Promise<Member> {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/members/{id}', { params: { path: { id } }, body: { role } }));
}

/** Removes a member, or withdraws an invitation. */
export async function removeMember(surface: Surface, id: string): Promise<void> {
  await bodyOf(apiOf(surface).DELETE('/api/v1/tenant/members/{id}', { params: { path: { id } } }));
}
