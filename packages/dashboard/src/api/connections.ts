import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf, once } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type Connection = components['schemas']['Connection'];
export type Provider = Connection['provider'];
export type CreateConnection = components['schemas']['CreateConnection'];
type UpdateConnection = components['schemas']['UpdateConnection'];
export type ShopOffer = components['schemas']['ShopOffer'];
export type Offer = components['schemas']['Offer'];
export type CreateOffer = components['schemas']['CreateOffer'];
type UpdateOffer = components['schemas']['UpdateOffer'];
type ConnectionFilters = NonNullable<operations['listConnections']['parameters']['query']>;

/** How often the state of a connection is read while somebody looks at it. */
export const liveMs = 3_000;

/** Query-key prefix of connections and of everything that belongs to one. */
export const connectionsKey = (surface: Surface) => keyOf(surface, 'connections');

/** Reads one page of connections. */
export function connectionsQuery(surface: Surface, query: ConnectionFilters) {
  return listQuery(
    [...connectionsKey(surface), 'list', query],
    () => bodyOf(apiOf(surface).GET('/api/v1/tenant/connections', { params: { query } })),
    { refetchInterval: 10_000 },
  );
}

/** Reads one connection. */
export function connectionQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: [...connectionsKey(surface), id],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}', { params: { path: { id } } })),
    refetchInterval: liveMs,
  });
}

/** Creates a connection. Only this response contains a secret that the service made. */
export function createConnection(surface: Surface, body: CreateConnection, idempotencyKey: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/connections', { params: once(idempotencyKey), body }));
}

/** Changes the fields of a connection that `body` contains. */
export function updateConnection(surface: Surface, id: string, body: UpdateConnection) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/connections/{id}', { params: { path: { id } }, body }));
}

/** Deletes a connection. Its licenses stay. */
export function deleteConnection(surface: Surface, id: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/connections/{id}', { params: { path: { id } } }));
}

/** Reads what the shop sells, with the connection's API key. */
export function catalogQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: [...connectionsKey(surface), id, 'catalog'],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/catalog', { params: { path: { id } } })),
    // Tables and choices read it like any other list.
    select: ({ items }) => ({ data: items, meta: { next_cursor: null } }),
    staleTime: 60_000,
    retry: false,
  });
}

/** Reads one page of the offers of a connection. */
export function offersQuery(surface: Surface, id: string, cursor?: string) {
  const query = { limit: 100, ...(cursor !== undefined && { cursor }) };
  return listQuery([...connectionsKey(surface), id, 'offers', query], () =>
    bodyOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/offers', { params: { path: { id }, query } })),
  );
}

/** Says what an item of the shop becomes. Waiting sales of it are applied. */
export function createOffer(surface: Surface, id: string, body: CreateOffer, idempotencyKey: string) {
  const params = { path: { id }, ...once(idempotencyKey) };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/connections/{id}/offers', { params, body }));
}

/** Changes what an item of the shop becomes. */
export function updateOffer(surface: Surface, id: string, offer_id: string, body: UpdateOffer) {
  const params = { path: { id, offer_id } };
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/connections/{id}/offers/{offer_id}', { params, body }));
}

/** Deletes an offer. */
export function deleteOffer(surface: Surface, id: string, offer_id: string) {
  const params = { path: { id, offer_id } };
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/connections/{id}/offers/{offer_id}', { params }));
}
