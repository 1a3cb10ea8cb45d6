import type { Surface } from '../surfaces.ts';
import { bodyOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

/** An API key without its secret. */
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyScope = components['schemas']['ApiKeyScope'];

/** An access token without its secret. */
export type AccessToken = components['schemas']['AccessToken'];

type Filters<Operation extends 'listApiKeys' | 'listAccessTokens'> = NonNullable<
  operations[Operation]['parameters']['query']
>;

/** `last_used_at` stays current. */
const listOptions = { refetchInterval: 15_000 };

/** Reads a page of API keys. */
export function apiKeysQuery(surface: Surface, filters: Filters<'listApiKeys'>) {
  const query = { ...filters, include: 'details' as const };
  return listQuery(
    keyOf(surface, 'api-keys', 'list', filters),
    () => bodyOf(apiOf(surface).GET('/api/v1/tenant/api-keys', { params: { query } })),
    listOptions,
  );
}

/** Creates an API key. Only this response contains the key, so it must not reach a cache. */
export const createApiKey = onSurface.POST('/api/v1/tenant/api-keys');

/** Renames an API key, or changes its limits. */
export const updateApiKey = onSurface.PUT('/api/v1/tenant/api-keys/{id}');

/** Replaces an API key. Only this response contains the new key, so it must not reach a cache. */
export const rotateApiKey = onSurface.POST('/api/v1/tenant/api-keys/{id}/rotate');

/** Revokes an API key. */
export const revokeApiKey = onSurface.DELETE('/api/v1/tenant/api-keys/{id}');

/** Reads a page of access tokens. */
export function accessTokensQuery(surface: Surface, filters: Filters<'listAccessTokens'>) {
  const query = { ...filters, include: 'details' as const };
  return listQuery(
    keyOf(surface, 'access-tokens', 'list', filters),
    () => bodyOf(apiOf(surface).GET('/api/v1/tenant/access-tokens', { params: { query } })),
    listOptions,
  );
}

/** Creates an access token. Only this response contains the token, so it must not reach a cache. */
export const createAccessToken = onSurface.POST('/api/v1/tenant/access-tokens');

/** Revokes an access token. */
export const revokeAccessToken = onSurface.DELETE('/api/v1/tenant/access-tokens/{id}');
