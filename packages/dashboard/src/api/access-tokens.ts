import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** An access token without its secret. */
export type AccessToken = components['schemas']['AccessToken'];
export type AccessTokenStatus = AccessToken['status'];

/** The fields of a new access token. */
export type CreateAccessToken = components['schemas']['CreateAccessToken'];

interface ListAccessTokens {
  readonly status?: AccessTokenStatus | undefined;
  readonly created_by?: string | undefined;
  readonly cursor?: string | undefined;
}

/** Reads a page of access tokens; `last_used_at` stays current. */
export function accessTokensQuery(surface: Surface, { status, created_by, cursor }: ListAccessTokens) {
  const query = { ...(status && { status }), ...(created_by && { created_by }), ...(cursor && { cursor }) };
  return queryOptions({
    queryKey: keyOf(surface, 'access-tokens', 'list', query),
    queryFn: () =>
      bodyOf(
        apiOf(surface).GET('/api/v1/tenant/access-tokens', { params: { query: { ...query, include: 'details' } } }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
}

/** Creates an access token. Only this response contains the token, so it must not reach a cache. */
export function createAccessToken(surface: Surface, body: CreateAccessToken, idempotencyKey: string) {
  const params = { header: { 'Idempotency-Key': idempotencyKey } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/access-tokens', { params, body }));
}

/** Revokes an access token. */
export function revokeAccessToken(surface: Surface, id: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/access-tokens/{id}', { params: { path: { id } } }));
}
