import type { FastifyRequest } from 'fastify';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { UserDetail, UserSummary, UsersQuery } from './schemas.ts';
import { disableUserAsAdmin, enableUserAsAdmin, pageOfUsers, readUser, sendPasswordReset } from './service.ts';

const tags = ['Users'] as const;
const params = IdParams;
const oneUser = { 200: Envelope(UserDetail) };

/** Registers the routes with which admins find, read, disable and enable the users of all tenants. */
export function usersRoutes(services: Services): AdminRoute[] {
  const sendUser = async (request: FastifyRequest, id: string) => success(request, await readUser(services, id));
  return [
    adminRoute('GET', '/users', {
      operationId: 'adminListUsers',
      summary: 'List users',
      tags,
      querystring: UsersQuery,
      response: { 200: PageEnvelope(UserSummary) },
      handler: async ({ request }) => successPage(request, await pageOfUsers(services, request.query)),
    }),
    adminRoute('GET', '/users/:id', {
      operationId: 'adminGetUser',
      summary: 'Read a user',
      tags,
      params,
      response: oneUser,
      handler: ({ request }) => sendUser(request, request.params.id),
    }),
    adminRoute('POST', '/users/:id/disable', {
      operationId: 'adminDisableUser',
      summary: 'Disable a user',
      tags,
      description:
        'Ends every session of the user and prevents logins, from the next request on. Access tokens that the user ' +
        'created belong to their tenants and stay valid.',
      params,
      response: oneUser,
      async handler({ request, actor }) {
        await disableUserAsAdmin(services, actor, request.params.id);
        return sendUser(request, request.params.id);
      },
    }),
    adminRoute('POST', '/users/:id/enable', {
      operationId: 'adminEnableUser',
      summary: 'Enable a user',
      tags,
      errors: ['USER.BEING_ERASED'],
      params,
      response: oneUser,
      async handler({ request, actor }) {
        await enableUserAsAdmin(services, actor, request.params.id);
        return sendUser(request, request.params.id);
      },
    }),
    adminRoute('POST', '/users/:id/send-password-reset', {
      operationId: 'adminSendPasswordReset',
      summary: 'Mail a user a link to choose a password',
      tags,
      errors: ['USER.DISABLED'],
      description: 'The present password and the sessions stay valid until the user follows the link.',
      params,
      response: { 202: Envelope(UserDetail) },
      async handler({ request, reply, actor }) {
        await sendPasswordReset(services, actor, request.params.id);
        reply.status(202);
        return sendUser(request, request.params.id);
      },
    }),
  ];
}
