import { Envelope, success } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import type { Services } from '../../../services.ts';
import { authenticateSession } from '../identity/session-service.ts';
import { AdminAccount, UpdateAccount } from './schemas.ts';
import { updateAccount } from './service.ts';
import { sessionRoutes, sessionsOfAdmins } from './session-routes.ts';

const tags = ['Account'] as const;
const oneAccount = { 200: Envelope(AdminAccount) };

/** Registers the routes with which admins change their own account and end their own sessions. */
export function adminAccountRoutes(services: Services): AdminRoute[] {
  return [...profileRoutes(services), ...sessionRoutes(services, sessionsOfAdmins)];
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
        const sessionId = async () => (await authenticateSession(services, request)).id;
        const change = { ability: 'admin', holder: admin, actor, input: request.body, sessionId } as const;
        return success(request, await updateAccount(services, lockout, change));
      },
    }),
  ];
}
