import { queryOptions } from '@tanstack/react-query';
import type { EntitlementSearch } from '../features/entitlements/search.ts';
import type { PolicySearch } from '../features/policies/search.ts';
import type { ProductSearch } from '../features/products/search.ts';
import type { Surface, SurfaceId } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** A product as the API returns it. */
export type Product = components['schemas']['Product'];

/** The fields of a new product. */
export type ProductInput = components['schemas']['CreateProduct'];

/** The URL has no `true`, which the router would read as a boolean. */
function archivedFilter(archived: 'only' | 'all' | undefined) {
  return archived === undefined ? {} : ({ archived: archived === 'only' ? 'true' : archived } as const);
}

/** Reads one page of the products. */
export function productsQuery(surface: Surface, { q, archived, cursor }: ProductSearch) {
  const query = { ...(q && { q }), ...archivedFilter(archived), ...(cursor && { cursor }) };
  return listQuery(keyOf(surface, 'products', 'list', query), () =>
    bodyOf(apiOf(surface).GET('/api/v1/tenant/products', { params: { query } })),
  );
}

/** More choices than a person reads; the others are found by typing. */
const choicesMax = 50;
const searchMin = 2;

const searched = (q: string) => (q.length >= searchMin ? { q } : {});

/**
 * Reads the products whose name or code begins with `q`, for a choice. Archived ones only if it names products that exist,
 * such as a filter.
 */
export function productChoicesQuery(surface: Surface, q = '', archived?: 'all') {
  const query = { limit: choicesMax, ...searched(q), ...(archived && { archived }) };
  return queryOptions({
    queryKey: keyOf(surface, 'products', 'choices', query),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/products', { params: { query } })),
    staleTime: 30_000,
  });
}

/** Reads one product. */
export const productQuery = onSurface.one('/api/v1/tenant/products/{id}', ['products', 'one']);

/** Creates a product. */
export const createProduct = onSurface.POST('/api/v1/tenant/products');

/** Changes fields of a product. */
export const updateProduct = onSurface.PUT('/api/v1/tenant/products/{id}');

/** Deletes a product. Refused with 409 while it has policies. */
export const deleteProduct = onSurface.DELETE('/api/v1/tenant/products/{id}');

/** Archives a product, so that no licenses of it are issued. */
export const archiveProduct = onSurface.POST('/api/v1/tenant/products/{id}/archive');

/** Makes a product available again. */
export const unarchiveProduct = onSurface.POST('/api/v1/tenant/products/{id}/unarchive');

/** Forgets the trial of a device or an address, so that it may start another one. */
export const allowTrial = onSurface.POST('/api/v1/tenant/products/{id}/allow-trial');

/** A policy as the API returns it. */
export type Policy = components['schemas']['Policy'];

/** An entitlement as a policy grants it. */
export type PolicyEntitlement = components['schemas']['PolicyEntitlement'];

/** The fields of a new policy. */
export type PolicyInput = components['schemas']['CreatePolicy'];

/** Reads one page of the policies. */
export function policiesQuery(surface: Surface, { q, product_id, archived, cursor }: PolicySearch) {
  const query = {
    ...(q && { q }),
    ...(product_id && { product_id }),
    ...archivedFilter(archived),
    ...(cursor && { cursor }),
  };
  return listQuery(keyOf(surface, 'policies', 'list', query), () =>
    bodyOf(apiOf(surface).GET('/api/v1/tenant/policies', { params: { query } })),
  );
}

/** Reads one policy. */
export const policyQuery = onSurface.one('/api/v1/tenant/policies/{id}', ['policies', 'one']);

/** Reads the policies of a product (of all without one) whose name or code begins with `q`, for a choice. */
export function policyChoicesQuery(surface: Surface, productId: string | undefined, q: string) {
  const query = { limit: choicesMax, ...searched(q), ...(productId !== undefined && { product_id: productId }) };
  return queryOptions({
    queryKey: keyOf(surface, 'policies', 'choices', query),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/policies', { params: { query } })),
    staleTime: 30_000,
  });
}

/** Creates a policy. */
export const createPolicy = onSurface.POST('/api/v1/tenant/policies');

/** Changes fields of a policy. */
export const updatePolicy = onSurface.PUT('/api/v1/tenant/policies/{id}');

/** Deletes a policy. Refused with 409 if a license ever used it. */
export const deletePolicy = onSurface.DELETE('/api/v1/tenant/policies/{id}');

/** Archives a policy, so that no licenses are issued under it. */
export const archivePolicy = onSurface.POST('/api/v1/tenant/policies/{id}/archive');

/** Makes a policy available again. */
export const unarchivePolicy = onSurface.POST('/api/v1/tenant/policies/{id}/unarchive');

/** What the live tenant has of a policy of its test tenant. */
export interface LiveCopy {
  /** The policy that a copy would change; null if a copy would create one. */
  readonly live: Policy | null;
  /** How many licenses follow it; with `hasMore`, at least so many. */
  readonly licenses: number;
  readonly hasMore: boolean;
}

/** Reads the policy of a live tenant with the product and the code of a policy of its test tenant. */
export function liveCopyQuery(surface: Surface, liveId: string | null, policy: Policy) {
  const live: SurfaceId = { area: 'tenant', tenantId: liveId };
  return queryOptions({
    queryKey: keyOf(live, 'policies', 'live-copy', policy.id, policy.updated_at),
    queryFn: async (): Promise<LiveCopy> => {
      const path = { id: policy.product_id };
      const product = await dataOf(apiOf(surface).GET('/api/v1/tenant/products/{id}', { params: { path } }));
      // An object that was created after the copy has another id in the live tenant, but the same code.
      const named = { code: product.code, archived: 'all' } as const;
      const [own] = await dataOf(apiOf(live).GET('/api/v1/tenant/products', { params: { query: named } }));
      const query = { product_id: own?.id ?? '', code: policy.code, archived: 'all' } as const;
      const [found] =
        own === undefined ? [] : await dataOf(apiOf(live).GET('/api/v1/tenant/policies', { params: { query } }));
      if (found === undefined) return { live: null, licenses: 0, hasMore: false };
      const licenses = { policy_id: found.id, limit: 100 };
      const { data, meta } = await bodyOf(apiOf(live).GET('/api/v1/tenant/licenses', { params: { query: licenses } }));
      return { live: found, licenses: data.length, hasMore: meta.next_cursor !== null };
    },
  });
}

/** Gives the live tenant of a test tenant a policy with the same terms. */
export const copyPolicyToLive = onSurface.POST('/api/v1/tenant/policies/{id}/copy-to-live');

/** An entitlement as the API returns it. */
export type Entitlement = components['schemas']['Entitlement'];

/** The fields of a new entitlement. */
export type EntitlementInput = components['schemas']['CreateEntitlement'];

/** Reads one page of the entitlements. */
export function entitlementsQuery(surface: Surface, { type, cursor }: EntitlementSearch) {
  const query = { ...(type && { type }), ...(cursor && { cursor }) };
  return listQuery(keyOf(surface, 'entitlements', 'list', query), () =>
    bodyOf(apiOf(surface).GET('/api/v1/tenant/entitlements', { params: { query } })),
  );
}

/** Reads all entitlements, which a field offers: nobody has so many that a search would be needed. */
export function entitlementOptionsQuery(surface: Surface, type?: Entitlement['type']) {
  return queryOptions({
    queryKey: keyOf(surface, 'entitlements', 'options', type),
    queryFn: async () => {
      const all: Entitlement[] = [];
      let cursor: string | null | undefined;
      do {
        const query = { limit: 100, ...(type && { type }), ...(cursor && { cursor }) };
        const page = await bodyOf(apiOf(surface).GET('/api/v1/tenant/entitlements', { params: { query } }));
        all.push(...page.data);
        cursor = page.meta.next_cursor;
      } while (cursor !== null);
      return all;
    },
  });
}

/** Creates an entitlement. */
export const createEntitlement = onSurface.POST('/api/v1/tenant/entitlements');

/** Changes the name or the description of an entitlement. */
export const updateEntitlement = onSurface.PUT('/api/v1/tenant/entitlements/{id}');

/** Deletes an entitlement. Refused with 409 while a policy or a license grants it. */
export const deleteEntitlement = onSurface.DELETE('/api/v1/tenant/entitlements/{id}');
