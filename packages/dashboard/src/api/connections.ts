import type { Surface } from '../surfaces.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Connection = components['schemas']['Connection'];
export type Provider = Connection['provider'];
export type ShopOffer = components['schemas']['ShopOffer'];
export type Offer = components['schemas']['Offer'];

/** How often the state of a connection is read while somebody looks at it. */
export const liveMs = 3_000;

/** Query-key prefix of connections and of everything that belongs to one. */
export const connectionsKey = (surface: Surface) => keyOf(surface, 'connections');

/** Reads one page of connections. */
export const connectionsQuery = onSurface.list('/api/v1/tenant/connections', ['connections', 'list'], {
  refetchInterval: 10_000,
});

/** Reads one connection. */
export const connectionQuery = onSurface.one('/api/v1/tenant/connections/{id}', ['connections'], {
  refetchInterval: liveMs,
});

/** Creates a connection. Only this response contains a secret that the service made. */
export const createConnection = onSurface.POST('/api/v1/tenant/connections');

/** Changes the fields of a connection that `body` contains. */
export const updateConnection = onSurface.PUT('/api/v1/tenant/connections/{id}');

/** Deletes a connection. Its licenses stay. */
export const deleteConnection = onSurface.DELETE('/api/v1/tenant/connections/{id}');

/** Reads what the shop sells, with the connection's API key. */
export const catalogQuery = onSurface.one(
  '/api/v1/tenant/connections/{id}/catalog',
  ['connections', '{id}', 'catalog'],
  {
    // Tables and choices read it like any other list.
    select: ({ items }) => ({ data: items, meta: { next_cursor: null } }),
    staleTime: 60_000,
    retry: false,
  },
);

/** Reads one page of the offers of a connection. */
export const offersQuery = onSurface.list('/api/v1/tenant/connections/{id}/offers', ['connections', '{id}', 'offers'], {
  query: { limit: 100 },
});

/** Says what an item of the shop becomes. Waiting sales of it are applied. */
export const createOffer = onSurface.POST('/api/v1/tenant/connections/{id}/offers');

/** Changes what an item of the shop becomes. */
export const updateOffer = onSurface.PUT('/api/v1/tenant/connections/{id}/offers/{offer_id}');

/** Deletes an offer. */
export const deleteOffer = onSurface.DELETE('/api/v1/tenant/connections/{id}/offers/{offer_id}');
