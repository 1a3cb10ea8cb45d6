import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ProductSearch } from '../features/products/search.ts';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** A product as the API returns it. */
export type Product = components['schemas']['Product'];

/** The fields of a new product. */
export type ProductInput = components['schemas']['CreateProduct'];

/** Reads one page of the products. */
export function productsQuery(surface: Surface, { q, cursor }: ProductSearch) {
  const query = { ...(q && { q }), ...(cursor && { cursor }) };
  return queryOptions({
    queryKey: keyOf(surface, 'products', 'list', query),
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/products', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

/** Reads the products that a field offers: the newest hundred, or those that match the words. */
export function productOptionsQuery(surface: Surface, q = '') {
  const query = { limit: 100, ...(q !== '' && { q }) };
  return queryOptions({
    queryKey: keyOf(surface, 'products', 'options', query),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/products', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

/** Reads one product. */
export function productQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: keyOf(surface, 'products', 'one', id),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/products/{id}', { params: { path: { id } } })),
  });
}

/** Creates a product. */
export function createProduct(surface: Surface, body: ProductInput, idempotencyKey: string) {
  const header = { 'Idempotency-Key': idempotencyKey };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/products', { params: { header }, body }));
}

/** Changes fields of a product. */
export function updateProduct(surface: Surface, id: string, body: components['schemas']['UpdateProduct']) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/products/{id}', { params: { path: { id } }, body }));
}

/** Deletes a product. Refused with 409 while it has policies. */
export function deleteProduct(surface: Surface, id: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/products/{id}', { params: { path: { id } } }));
}
