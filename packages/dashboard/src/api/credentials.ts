import { onSurface } from './endpoints.ts';
import type { components } from './schema.gen.ts';

/** An API key without its secret. */
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyScope = components['schemas']['ApiKeyScope'];

/** An access token without its secret. */
export type AccessToken = components['schemas']['AccessToken'];

/** `last_used_at` stays current. */
const usedMs = 15_000;

/** Reads a page of API keys. */
export const apiKeysQuery = onSurface.list('/api/v1/tenant/api-keys', ['api-keys', 'list'], {
  query: { include: 'details' },
  refetchInterval: usedMs,
});

/** Creates an API key. Only this response contains the key, so it must not reach a cache. */
export const createApiKey = onSurface.POST('/api/v1/tenant/api-keys');

/** Renames an API key, or changes its limits. */
export const updateApiKey = onSurface.PUT('/api/v1/tenant/api-keys/{id}');

/** Replaces an API key. Only this response contains the new key, so it must not reach a cache. */
export const rotateApiKey = onSurface.POST('/api/v1/tenant/api-keys/{id}/rotate');

/** Revokes an API key. */
export const revokeApiKey = onSurface.DELETE('/api/v1/tenant/api-keys/{id}');

/** Reads a page of access tokens. */
export const accessTokensQuery = onSurface.list('/api/v1/tenant/access-tokens', ['access-tokens', 'list'], {
  query: { include: 'details' },
  refetchInterval: usedMs,
});

/** Creates an access token. Only this response contains the token, so it must not reach a cache. */
export const createAccessToken = onSurface.POST('/api/v1/tenant/access-tokens');

/** Revokes an access token. */
export const revokeAccessToken = onSurface.DELETE('/api/v1/tenant/access-tokens/{id}');
