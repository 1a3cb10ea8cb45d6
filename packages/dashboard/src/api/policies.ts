import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { PolicySearch } from '../features/policies/search.ts';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** A policy as the API returns it. */
export type Policy = components['schemas']['Policy'];

/** An entitlement as a policy grants it. */
export type PolicyEntitlement = components['schemas']['PolicyEntitlement'];

/** The fields of a new policy. */
export type PolicyInput = components['schemas']['CreatePolicy'];

/** Reads one page of the policies. */
export function policiesQuery(surface: Surface, { q, product_id, cursor }: PolicySearch) {
  const query = { ...(q && { q }), ...(product_id && { product_id }), ...(cursor && { cursor }) };
  return queryOptions({
    queryKey: keyOf(surface, 'policies', 'list', query),
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/policies', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

/** Reads one policy. */
export function policyQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: keyOf(surface, 'policies', 'one', id),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/policies/{id}', { params: { path: { id } } })),
  });
}

/** Creates a policy. */
export function createPolicy(surface: Surface, body: PolicyInput, idempotencyKey: string) {
  const header = { 'Idempotency-Key': idempotencyKey };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/policies', { params: { header }, body }));
}

/** Changes fields of a policy. */
export function updatePolicy(surface: Surface, id: string, body: components['schemas']['UpdatePolicy']) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/policies/{id}', { params: { path: { id } }, body }));
}

/** Deletes a policy. Refused with 409 if a license ever used it. */
export function deletePolicy(surface: Surface, id: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/policies/{id}', { params: { path: { id } } }));
}
