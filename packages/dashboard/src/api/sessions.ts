import { queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';
import type { Area } from './session.ts';

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
