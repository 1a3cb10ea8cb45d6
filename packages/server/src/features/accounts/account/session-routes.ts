import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams, PageQuery } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { listSessions, revokeOtherSessions, revokeSession } from '../identity/session-service.ts';
import { authenticateToken } from '../identity/tokens.ts';
import { RevokedSessions, Session } from './schemas.ts';

const tags = ['Account'] as const;

const subjectOf = ({ id }: { readonly id: string }) => ({ ability: 'tenant', id }) as const;

/** Registers the routes with which users list and end their sessions. */
export function sessionRoutes(services: Services): UserRoute[] {
  return [
    userRoute({
      method: 'GET',
      url: '/account/sessions',
      schema: {
        operationId: 'listAccountSessions',
        summary: 'List your sessions',
        tags,
        querystring: PageQuery({}),
        response: { 200: PageEnvelope(Session) },
      },
      async handler({ request, user }) {
        const { id } = await authenticateToken(services, request);
        const rows = await listSessions(services, subjectOf(user), id, request.query);
        return successPage(request, toPage(rows, request.query.limit));
      },
    }),
    userRoute({
      method: 'DELETE',
      url: '/account/sessions',
      schema: {
        operationId: 'revokeOtherAccountSessions',
        summary: 'End all your sessions except this one',
        tags,
        response: { 200: Envelope(RevokedSessions) },
      },
      async handler({ request, user, actor }) {
        const { id } = await authenticateToken(services, request);
        const revoked_count = await revokeOtherSessions(services, actor, subjectOf(user), id);
        return success(request, { revoked_count });
      },
    }),
    userRoute({
      method: 'DELETE',
      url: '/account/sessions/:id',
      schema: {
        operationId: 'revokeAccountSession',
        summary: 'End one of your sessions',
        tags,
        description: 'Its token is refused from the next request on.',
        params: IdParams,
        response: { 200: DeletedEnvelope },
      },
      async handler({ request, user, actor }) {
        await revokeSession(services, actor, subjectOf(user), request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
