import type { RouteOptions } from 'fastify';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { described, Name, strictObject } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { LinkToken, Me, NewPassword } from '../identity/schemas.ts';
import { describeSubject } from '../identity/service.ts';
import { readTwoFactor } from '../identity/two-factor-service.ts';
import { acceptInvitation } from './service.ts';

const AcceptInvitation = strictObject(
  { token: LinkToken, name: described(Name, 'Your name.'), password: NewPassword },
  {
    title: 'AcceptInvitation',
    examples: [{ token: 'Zk3pQ8vN', name: 'Grace Hopper', password: 'correct horse battery staple' }],
  },
);

/** Registers the route that accepts an invitation, with its full path. */
export function invitationRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute({
      method: 'POST',
      url: '/api/v1/auth/accept-invitation',
      onRequest: throttle(services.rateLimits, { name: 'accept-invitation', attempts: 6, minutes: 1 }),
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        tags: ['Identity'],
        errors: ['AUTH.LINK_INVALID', 'PLAN.LIMIT_REACHED', 'RATE_LIMIT.EXCEEDED'],
        description: 'Sets the name and the password of the invited person, who can then log in.',
        body: AcceptInvitation,
        response: { 200: Envelope(Me) },
      },
      async handler({ request, reply }) {
        const subject = await acceptInvitation(services, request.body, { requestId: request.id, ip: request.ip });
        reply.header('cache-control', 'no-store');
        const { enabled: hasTwoFactor } = await readTwoFactor(services, subject);
        return success(request, await describeSubject(services, { subject, hasTwoFactor }));
      },
    }),
  ];
}
