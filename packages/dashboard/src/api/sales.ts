import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { connectionsKey, liveMs } from './connections.ts';
import { licensesKey } from './licenses.ts';
import { listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type SaleEvent = components['schemas']['SaleEvent'];
export type Sale = components['schemas']['Sale'];
type EventFilters = NonNullable<operations['listSaleEvents']['parameters']['query']>;
export type SaleFilters = NonNullable<operations['listSales']['parameters']['query']>;

/** Reads one page of the messages of a shop. */
export function eventsQuery(surface: Surface, id: string, query: EventFilters) {
  return listQuery(
    [...connectionsKey(surface), id, 'events', 'list', query],
    () => bodyOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/events', { params: { path: { id }, query } })),
    { refetchInterval: liveMs },
  );
}

/** Reads one message with what it did. */
export function eventQuery(surface: Surface, id: string, event_id: string) {
  const params = { path: { id, event_id } };
  return queryOptions({
    queryKey: [...connectionsKey(surface), id, 'events', event_id],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/events/{event_id}', { params })),
    refetchInterval: 1_000,
  });
}

/** Applies a message again. */
export function retryEvent(surface: Surface, id: string, event_id: string) {
  const params = { path: { id, event_id } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/connections/{id}/events/{event_id}/retry', { params }));
}

/** Reads one page of the sales of a shop. */
export function salesQuery(surface: Surface, id: string, query: SaleFilters) {
  return listQuery(
    [...connectionsKey(surface), id, 'sales', 'list', query],
    () => bodyOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/sales', { params: { path: { id }, query } })),
    { refetchInterval: liveMs },
  );
}

/** Reads one sale. */
export function saleQuery(surface: Surface, id: string, sale_id: string) {
  const params = { path: { id, sale_id } };
  return queryOptions({
    queryKey: [...connectionsKey(surface), id, 'sales', sale_id],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/connections/{id}/sales/{sale_id}', { params })),
    refetchInterval: liveMs,
  });
}

/** Gives a sale the licenses that it entitles its buyer to. */
export function applySale(surface: Surface, id: string, sale_id: string) {
  const params = { path: { id, sale_id } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/connections/{id}/sales/{sale_id}/apply', { params }));
}

/** Reads the sale that issued a license; null if none did. */
export function saleOfLicenseQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: [...licensesKey(surface), id, 'sale'],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/licenses/{id}/sale', { params: { path: { id } } })),
  });
}

/** Sends a signed message about an invented sale to the connection's own address. */
export function sendTestSale(surface: Surface, id: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/connections/{id}/test-sale', { params: { path: { id } } }));
}
