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
import { IdParams, PageQuery } from '../../../http/schema.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import type { Services } from '../../../services.ts';
import { listSessions, revokeOtherSessions, revokeSession } from '../identity/session-service.ts';
import { authenticateToken } from '../identity/tokens.ts';
import { updateAdminAccount } from './admin-service.ts';
import { AdminAccount, RevokedSessions, Session, UpdateAccount } from './schemas.ts';

const tags = ['Account'] as const;
const oneAccount = { 200: Envelope(AdminAccount) };
const subjectOf = ({ id }: { readonly id: string }) => ({ ability: 'admin', id }) as const;

/** Registers the routes with which admins change their own account and end their own sessions. */
export function adminAccountRoutes(services: Services): AdminRoute[] {
  return [...profileRoutes(services), ...sessionRoutes(services)];
}

function profileRoutes(services: Services): AdminRoute[] {
  const lockout = createLockout(services.rateLimits);
  return [
    adminRoute({
      method: 'GET',
      url: '/account',
      schema: { operationId: 'adminGetAccount', summary: 'Read your account as an admin', tags, response: oneAccount },
      handler: ({ request, admin }) => success(request, admin),
    }),
    adminRoute({
      method: 'PUT',
      url: '/account',
      schema: {
        operationId: 'adminUpdateAccount',
        summary: 'Change your name or your password as an admin',
        tags,
        errors: ['ACCOUNT.CHANGED', 'AUTH.LOCKED_OUT'],
        description:
          'To set a new `password`, send the `current_password` too. The token of this request stays valid; every ' +
          'other token of the admin is revoked, and a mail reports the change.',
        body: UpdateAccount,
        response: oneAccount,
      },
      async handler({ request, admin, actor }) {
        const { id: tokenId } = await authenticateToken(services, request);
        const change = { admin, actor, input: request.body, tokenId };
        return success(request, await updateAdminAccount(services, lockout, change));
      },
    }),
  ];
}

function sessionRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/account/sessions',
      schema: {
        operationId: 'adminListAccountSessions',
        summary: 'List your sessions as an admin',
        tags,
        querystring: PageQuery({}),
        response: { 200: PageEnvelope(Session) },
      },
      async handler({ request, admin }) {
        const { id } = await authenticateToken(services, request);
        const rows = await listSessions(services, subjectOf(admin), id, request.query);
        return successPage(request, toPage(rows, request.query.limit));
      },
    }),
    adminRoute({
      method: 'DELETE',
      url: '/account/sessions',
      schema: {
        operationId: 'adminRevokeOtherAccountSessions',
        summary: 'End all your sessions as an admin except this one',
        tags,
        response: { 200: Envelope(RevokedSessions) },
      },
      async handler({ request, admin, actor }) {
        const { id } = await authenticateToken(services, request);
        return success(request, { revoked_count: await revokeOtherSessions(services, actor, subjectOf(admin), id) });
      },
    }),
    adminRoute({
      method: 'DELETE',
      url: '/account/sessions/:id',
      schema: {
        operationId: 'adminRevokeAccountSession',
        summary: 'End one of your sessions as an admin',
        tags,
        description: 'Its token is refused from the next request on.',
        params: IdParams,
        response: { 200: DeletedEnvelope },
      },
      async handler({ request, admin, actor }) {
        await revokeSession(services, actor, subjectOf(admin), request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
