import { Type } from 'typebox';
import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { described, IdParams, includeDetails, PageQuery } from '../../../http/schema.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { type ApiKeyRow, findApiKey, listApiKeys } from './queries.ts';
import { ApiKey, CreateApiKey, CreatedApiKey, RotateApiKey, UpdateApiKey } from './schemas.ts';
import { apiKeyNotFound, issueApiKey, presentApiKey, revokeApiKey, rotateApiKey, updateApiKey } from './service.ts';

const tags = ['API keys'] as const;

/** Registers the routes with which a tenant lists, creates, reads, changes, replaces and revokes its API keys. */
export function apiKeyRoutes(services: Services): TenantRoute[] {
  const present = (row: ApiKeyRow) => presentApiKey(row, services.clock.now(), services.apiKeyUsage);
  // An access token must not learn the names of members.
  const presentNamed = ({ createdBy }: Actor, row: ApiKeyRow) =>
    present(createdBy === undefined ? row : { ...row, creator_name: null });
  const issued = ({ row, key }: Awaited<ReturnType<typeof issueApiKey>>) => {
    const { id, name, created_at, ...rest } = present(row);
    return { status: 201, data: { ...rest, id, name, key, status: 'active', created_at } };
  };
  const presentUnnamed = ({ creator_name: _name, ...row }: ApiKeyRow) => present(row);
  return [
    tenantRoute('GET', '', {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      tags,
      querystring: PageQuery({
        ...includeDetails('Adds the names of the creators.'),
        status: Type.Optional(described(ApiKey.properties.status, 'Return only keys with this status.')),
      }),
      response: { 200: PageEnvelope(ApiKey) },
      async handler({ request, tenant, actor }) {
        const options = { ...request.query, now: services.clock.now() };
        const page = toPage(await listApiKeys(services.platform, tenant, options), request.query.limit);
        const presentRow = (row: ApiKeyRow) =>
          request.query.include === 'details' ? presentNamed(actor, row) : presentUnnamed(row);
        return successPage(request, { ...page, rows: page.rows.map(presentRow) });
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      tags,
      errors: ['PLAN.LIMIT_REACHED'],
      description: 'Only this response contains the key. Store it: it cannot be read again.',
      body: CreateApiKey,
      response: { 201: Envelope(CreatedApiKey) },
      secretFields: ['key'],
      create({ request, reply, tenant, actor }) {
        reply.header('cache-control', 'no-store');
        return issueApiKey(services, tenant, actor, request.body);
      },
      answer: issued,
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getApiKey',
      summary: 'Read an API key',
      tags,
      params: IdParams,
      response: { 200: Envelope(ApiKey) },
      async handler({ request, tenant }) {
        const row = orThrow(await findApiKey(services.platform, tenant, request.params.id), apiKeyNotFound);
        return success(request, presentUnnamed(row));
      },
    }),
    tenantRoute('PUT', '/:id', {
      operationId: 'updateApiKey',
      summary: 'Change an API key',
      tags,
      errors: ['API_KEY.REVOKED'],
      description: 'Renames the key, or changes its limits from the next request on. The key itself stays the same.',
      params: IdParams,
      body: UpdateApiKey,
      response: { 200: Envelope(ApiKey) },
      async handler({ request, tenant, actor }) {
        return success(request, present(await updateApiKey(services, tenant, actor, request.params.id, request.body)));
      },
    }),
    creatingRoute(services, '/:id/rotate', {
      operationId: 'rotateApiKey',
      summary: 'Replace an API key',
      tags,
      errors: ['API_KEY.REVOKED', 'PLAN.LIMIT_REACHED'],
      description: 'Creates a key with the same name, scopes and limits. The old key works until the overlap ends.',
      params: IdParams,
      body: RotateApiKey,
      response: { 201: Envelope(CreatedApiKey) },
      secretFields: ['key'],
      create({ request, reply, tenant, actor }) {
        reply.header('cache-control', 'no-store');
        return rotateApiKey(services, tenant, actor, request.params.id, request.body);
      },
      answer: issued,
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      tags,
      description: 'The key stops working with the next request. A repeated revocation has the same response.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await revokeApiKey(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
