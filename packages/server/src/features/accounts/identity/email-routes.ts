import { Envelope, success } from '../../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { strictObject } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { resendVerification, verifyEmail } from './email-verification-service.ts';
import { Accepted, LinkToken, User } from './schemas.ts';

const tags = ['Identity'] as const;

/** How a user proves to read the mail of the own address. */
export function emailRoutes(services: Services): UserRoute[] {
  return [
    userRoute({
      method: 'POST',
      url: '/auth/email/verify',
      schema: {
        summary: 'Verify your e-mail address',
        tags,
        description: 'Takes the token of the newest link, which works once, for 60 minutes, and for its own user only.',
        body: strictObject({ token: LinkToken }),
        response: { 200: Envelope(User) },
      },
      async handler({ request, user, actor }) {
        return success(request, await verifyEmail(services, actor, user, request.body.token));
      },
    }),
    userRoute({
      method: 'POST',
      url: '/auth/email/resend',
      onRequest: throttle(services, { name: 'resend-verification', attempts: 3, minutes: 1 }),
      schema: {
        summary: 'Mail another link to verify your e-mail address',
        tags,
        description: 'The link before stops working. Nothing is sent once the address is verified.',
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
