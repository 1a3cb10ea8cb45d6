import { Envelope, success } from '../../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { strictObject } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { resendVerification, verifyEmail } from './mail-link-service.ts';
import { Accepted, LinkToken, User } from './schemas.ts';

const tags = ['Identity'] as const;

const VerifyEmail = strictObject({ token: LinkToken }, { title: 'VerifyEmail', examples: [{ token: 'Zk3pQ8vN' }] });

/** Registers the routes with which logged-in users verify their e-mail address. */
export function emailRoutes(services: Services): UserRoute[] {
  return [
    userRoute({
      method: 'POST',
      url: '/auth/email/verify',
      schema: {
        operationId: 'verifyEmail',
        summary: 'Verify your e-mail address',
        tags,
        errors: ['AUTH.LINK_INVALID'],
        description:
          'Send the token of the newest link. It works once, for 60 minutes, and only for the user it was mailed to.',
        body: VerifyEmail,
        response: { 200: Envelope(User) },
      },
      async handler({ request, user, actor }) {
        return success(request, await verifyEmail(services, actor, user, request.body.token));
      },
    }),
    userRoute({
      method: 'POST',
      url: '/auth/email/resend',
      onRequest: throttle(services.rateLimits, { name: 'resend-verification', attempts: 3, minutes: 1 }),
      schema: {
        operationId: 'resendVerificationEmail',
        summary: 'Send a new link to verify your e-mail address',
        tags,
        errors: ['RATE_LIMIT.EXCEEDED'],
        description: 'The previous link stops working. No mail is sent if the address is already verified.',
        response: { 202: Envelope(Accepted) },
      },
      async handler({ request, reply, user, actor }) {
        await resendVerification(services, actor, user);
        reply.status(202);
        return success(request, { accepted: true } as const);
      },
    }),
  ];
}
