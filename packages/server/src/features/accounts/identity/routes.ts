import type { RouteOptions } from 'fastify';
import { DeletedEnvelope, Envelope, success, successDeleted } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { atBothPaths, bearerOf, originOf, requireBearer, requireSession, sessionOf } from './requests.ts';
import { LoggedIn, Login, Me } from './schemas.ts';
import { describeBearer, describeSubject, logIn, logOut } from './service.ts';

const tags = ['Identity'] as const;

/**
 * Registers the routes for logging in, logging out and reading the caller's identity, for users and admins, with their
 * full paths.
 */
export function identityRoutes(services: Services): RouteOptions[] {
  const lockout = createLockout(services.rateLimits);
  const routes = [
    publicRoute({
      method: 'POST',
      url: '/api/v1/auth/login',
      onRequest: throttle(services.rateLimits, { name: 'login', attempts: 10, minutes: 1 }),
      schema: {
        operationId: 'login',
        summary: 'Log in',
        tags,
        errors: [
          'AUTH.INVALID_CREDENTIALS',
          'AUTH.TWO_FACTOR_REQUIRED',
          'AUTH.TWO_FACTOR_INVALID',
          'AUTH.LOCKED_OUT',
          'RATE_LIMIT.EXCEEDED',
        ],
        description:
          'Five failures from a client address lock the account for that address for 15 minutes. With two-factor ' +
          'authentication, a request without `code` is refused with `AUTH.TWO_FACTOR_REQUIRED`.',
        body: Login,
        response: { 200: Envelope(LoggedIn) },
      },
      async handler({ request, reply }) {
        const { accessToken, expiresAt, ...who } = await logIn(services, lockout, request.body, originOf(request));
        reply.header('cache-control', 'no-store');
        const token = { access_token: accessToken, token_type: 'Bearer', expires_at: expiresAt } as const;
        return success(request, { ...token, ...(await describeSubject(services, who)) });
      },
    }),
    publicRoute({
      method: 'POST',
      url: '/api/v1/auth/logout',
      onRequest: requireSession(services),
      schema: {
        operationId: 'logout',
        summary: 'Log out',
        tags,
        description: 'Revokes the token of the request. The response contains the id of the token.',
        response: { 200: DeletedEnvelope },
      },
      async handler({ request }) {
        const token = sessionOf(request);
        await logOut(services, token, originOf(request));
        return successDeleted(request, token.id);
      },
    }),
    publicRoute({
      method: 'GET',
      url: '/api/v1/auth/me',
      onRequest: requireBearer(services),
      schema: {
        operationId: 'getCurrentUser',
        summary: 'Read who is logged in',
        tags,
        description: 'For an access token, the response contains the token and its only tenant instead of a person.',
        response: { 200: Envelope(Me) },
      },
      async handler({ request, reply }) {
        reply.header('cache-control', 'no-store');
        return success(request, await describeBearer(services, bearerOf(request)));
      },
    }),
  ];
  return routes.flatMap(atBothPaths);
}
