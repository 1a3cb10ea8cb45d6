import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Policy = components['schemas']['Policy'];

/** More choices than a person reads; the others are found by typing. */
const limit = 50;
const searchMin = 2;

const searched = (q: string) => (q.length >= searchMin ? { q } : {});

/** Reads the products whose name or code begins with `q`, for a choice. */
export function productChoicesQuery(surface: Surface, q: string) {
  const query = { limit, ...searched(q) };
  return queryOptions({
    queryKey: keyOf(surface, 'products', 'choices', query),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/products', { params: { query } })),
    staleTime: 30_000,
  });
}

/** Reads the policies of a product (of all without one) whose name or code begins with `q`, for a choice. */
export function policyChoicesQuery(surface: Surface, productId: string | undefined, q: string) {
  const query = { limit, ...searched(q), ...(productId !== undefined && { product_id: productId }) };
  return queryOptions({
    queryKey: keyOf(surface, 'policies', 'choices', query),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/policies', { params: { query } })),
    staleTime: 30_000,
  });
}

/** Reads one product. */
export function productChoiceQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: keyOf(surface, 'products', id),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/products/{id}', { params: { path: { id } } })),
    staleTime: 60_000,
  });
}

/** Reads one policy. */
export function policyChoiceQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: keyOf(surface, 'policies', id),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/policies/{id}', { params: { path: { id } } })),
    staleTime: 60_000,
  });
}

/** Reads the entitlements of the tenant, for a choice. */
export function entitlementChoicesQuery(surface: Surface) {
  const query = { limit: 100 };
  return queryOptions({
    queryKey: keyOf(surface, 'entitlements', 'choices'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/entitlements', { params: { query } })),
    staleTime: 30_000,
  });
}
