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
import { IdParams, PageQuery } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { type AccessTokenRow, findAccessTokenById, listAccessTokens } from './queries.ts';
import { AccessToken, accessTokenFilters, CreateAccessToken, CreatedAccessToken } from './schemas.ts';
import {
  accessTokenNotFound,
  activeTokensMax,
  issueAccessToken,
  presentAccessToken,
  revokeAccessToken,
} from './service.ts';

const tags = ['Access tokens'] as const;

/** Registers the routes with which a tenant lists, creates, reads and revokes its access tokens. */
export function accessTokenRoutes(services: Services): TenantRoute[] {
  const present = (row: AccessTokenRow, named = false) =>
    presentAccessToken(row, services.clock.now(), services.accessTokenUsage, named);
  return [
    tenantRoute('GET', '', {
      operationId: 'listAccessTokens',
      summary: 'List access tokens',
      tags,
      querystring: PageQuery(accessTokenFilters),
      response: { 200: PageEnvelope(AccessToken) },
      async handler({ request, tenant }) {
        const options = { ...request.query, now: services.clock.now() };
        const page = toPage(await listAccessTokens(services.platform, tenant, options), request.query.limit);
        const named = request.query.include === 'details';
        return successPage(request, { ...page, rows: page.rows.map((row) => present(row, named)) });
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createAccessToken',
      summary: 'Create an access token',
      tags,
      errors: ['ACCESS_TOKEN.TOO_MANY'],
      description:
        'Owners and admins only. Only this response contains the token. It uses the resources of this tenant as ' +
        '`Authorization: Bearer <token>`, without `X-Tenant-ID`, but neither members, access tokens, billing, account ' +
        `nor onboarding. A tenant has at most ${activeTokensMax} active tokens.`,
      body: CreateAccessToken,
      response: { 201: Envelope(CreatedAccessToken) },
      secretFields: ['token'],
      create({ request, reply, tenant, actor }) {
        reply.header('cache-control', 'no-store');
        return issueAccessToken(services, tenant, actor, request.body);
      },
      answer({ row, token }) {
        const { id, name, created_at, ...rest } = present(row);
        return { status: 201, data: { ...rest, id, name, token, status: 'active', created_at } };
      },
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getAccessToken',
      summary: 'Read an access token',
      tags,
      params: IdParams,
      response: { 200: Envelope(AccessToken) },
      async handler({ request, tenant }) {
        const row = await findAccessTokenById(services.platform, tenant, request.params.id);
        if (row === undefined) throw accessTokenNotFound();
        return success(request, present(row));
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'revokeAccessToken',
      summary: 'Revoke an access token',
      tags,
      description: 'The token stops working with the next request. A repeated revocation has the same response.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await revokeAccessToken(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
