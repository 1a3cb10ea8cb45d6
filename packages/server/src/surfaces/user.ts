import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accountRoutes } from '../features/accounts/account/routes.ts';
import { emailRoutes } from '../features/accounts/identity/routes.ts';
import { authenticateBearer } from '../features/accounts/identity/session-service.ts';
import { accountInvitationRoutes } from '../features/accounts/invitations/account-routes.ts';
import { identityLinkRoutes } from '../features/accounts/single-sign-on/routes.ts';
import { onboardingRoutes } from '../features/commerce/onboarding/routes.ts';
import { declareGuard, tokenCodes } from '../http/declared-failures.ts';
import { provideUser } from '../http/routes/user-route.ts';
import { refuseUnknownFields } from '../http/strict-requests.ts';
import type { Services } from '../services.ts';

/** Registers the surface of a user's own account, independent of tenants. */
export function userSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    refuseUnknownFields(app);
    declareGuard(app, () => ({ credentials: ['bearer'], codes: tokenCodes }));
    app.addHook('onRequest', (request) => enterAsUser(services, request));
    const routes = [
      ...accountRoutes(services),
      ...accountInvitationRoutes(services),
      ...identityLinkRoutes(services),
      ...emailRoutes(services),
      ...onboardingRoutes(services),
    ];
    for (const route of routes) app.route(route);
    done();
  };
}

async function enterAsUser(services: Services, request: FastifyRequest): Promise<void> {
  provideUser(request, await authenticateBearer(services, request, 'tenant'));
}
