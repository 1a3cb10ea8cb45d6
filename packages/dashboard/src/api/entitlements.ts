import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { EntitlementSearch } from '../features/entitlements/search.ts';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** An entitlement as the API returns it. */
export type Entitlement = components['schemas']['Entitlement'];

/** The fields of a new entitlement. */
export type EntitlementInput = components['schemas']['CreateEntitlement'];

/** Reads one page of the entitlements. */
export function entitlementsQuery(surface: Surface, { type, cursor }: EntitlementSearch) {
  const query = { ...(type && { type }), ...(cursor && { cursor }) };
  return queryOptions({
    queryKey: keyOf(surface, 'entitlements', 'list', query),
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/entitlements', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

/** Reads the entitlements that a field offers: the newest hundred. */
export function entitlementOptionsQuery(surface: Surface, type?: Entitlement['type']) {
  const query = { limit: 100, ...(type && { type }) };
  return queryOptions({
    queryKey: keyOf(surface, 'entitlements', 'options', query),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/entitlements', { params: { query } })),
  });
}

/** Creates an entitlement. */
export function createEntitlement(surface: Surface, body: EntitlementInput, idempotencyKey: string) {
  const header = { 'Idempotency-Key': idempotencyKey };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/entitlements', { params: { header }, body }));
}

/** Changes the name or the description of an entitlement. */
export function updateEntitlement(surface: Surface, id: string, body: components['schemas']['UpdateEntitlement']) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/entitlements/{id}', { params: { path: { id } }, body }));
}

/** Deletes an entitlement. Refused with 409 while a policy or a license grants it. */
export function deleteEntitlement(surface: Surface, id: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/entitlements/{id}', { params: { path: { id } } }));
}
