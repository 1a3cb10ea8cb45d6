import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** An API key without its secret. */
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyScope = components['schemas']['ApiKeyScope'];
export type ApiKeyStatus = ApiKey['status'];

/** The fields of a new API key. */
export type CreateApiKey = components['schemas']['CreateApiKey'];

interface ListApiKeys {
  readonly status?: ApiKeyStatus | undefined;
  readonly cursor?: string | undefined;
}

/** Reads a page of API keys; `last_used_at` stays current. */
export function apiKeysQuery(surface: Surface, { status, cursor }: ListApiKeys) {
  const query = { ...(status && { status }), ...(cursor && { cursor }) };
  return queryOptions({
    queryKey: keyOf(surface, 'api-keys', 'list', query),
    queryFn: () =>
      bodyOf(apiOf(surface).GET('/api/v1/tenant/api-keys', { params: { query: { ...query, include: 'details' } } })),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
}

/** Creates an API key. Only this response contains the key, so it must not reach a cache. */
export function createApiKey(surface: Surface, body: CreateApiKey, idempotencyKey: string) {
  const params = { header: { 'Idempotency-Key': idempotencyKey } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/api-keys', { params, body }));
}

/** Revokes an API key. */
export function revokeApiKey(surface: Surface, id: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/api-keys/{id}', { params: { path: { id } } }));
}
