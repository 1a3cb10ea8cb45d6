import type { RouteOptions } from 'fastify';
import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import type { Method, RouteSchema, TypedRequest } from '../../../http/routes/tenant-route.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams, PageQuery } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { authenticateSession, listSessions, revokeOtherSessions, revokeSession } from '../identity/session-service.ts';
import type { Ability } from '../identity/subject.ts';
import { RevokedSessions, Session } from './schemas.ts';

/** Where the routes of sessions are registered: for users or for admins. */
interface SessionOwners<Route extends RouteOptions> {
  readonly ability: Ability;
  /** The end of the summaries. */
  readonly as: string;
  readonly operationId: (ofUsers: string) => string;
  readonly route: <const Schema extends RouteSchema>(options: {
    readonly method: Method;
    readonly url: string;
    readonly schema: Schema;
    readonly handler: (context: { readonly request: TypedRequest<Schema>; readonly actor: Actor }) => unknown;
  }) => Route;
}

export const sessionsOfUsers: SessionOwners<UserRoute> = {
  ability: 'tenant',
  as: '',
  operationId: (id) => id,
  route: userRoute,
};

export const sessionsOfAdmins: SessionOwners<AdminRoute> = {
  ability: 'admin',
  as: ' as an admin',
  operationId: (ofUsers) => `admin${ofUsers.charAt(0).toUpperCase()}${ofUsers.slice(1)}`,
  route: adminRoute,
};

/** Registers the routes with which users or admins list and end their sessions. */
export function sessionRoutes<Route extends RouteOptions>(
  services: Services,
  { ability, as, operationId, route }: SessionOwners<Route>,
): Route[] {
  const tags = ['Account'] as const;
  const subjectOf = ({ id }: Actor) => ({ ability, id: id ?? '' });
  return [
    route({
      method: 'GET',
      url: '/account/sessions',
      schema: {
        operationId: operationId('listAccountSessions'),
        summary: `List your sessions${as}`,
        tags,
        querystring: PageQuery({}),
        response: { 200: PageEnvelope(Session) },
      },
      async handler({ request, actor }) {
        const { id } = await authenticateSession(services, request);
        const rows = await listSessions(services, subjectOf(actor), id, request.query);
        return successPage(request, toPage(rows, request.query.limit));
      },
    }),
    route({
      method: 'DELETE',
      url: '/account/sessions',
      schema: {
        operationId: operationId('revokeOtherAccountSessions'),
        summary: `End all your sessions${as} except this one`,
        tags,
        response: { 200: Envelope(RevokedSessions) },
      },
      async handler({ request, actor }) {
        const { id } = await authenticateSession(services, request);
        return success(request, { revoked_count: await revokeOtherSessions(services, actor, subjectOf(actor), id) });
      },
    }),
    route({
      method: 'DELETE',
      url: '/account/sessions/:id',
      schema: {
        operationId: operationId('revokeAccountSession'),
        summary: `End one of your sessions${as}`,
        tags,
        description: 'Its token is refused from the next request on.',
        params: IdParams,
        response: { 200: DeletedEnvelope },
      },
      async handler({ request, actor }) {
        await revokeSession(services, actor, subjectOf(actor), request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
