import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { described, Email, Name, strictObject } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { requestPasswordReset, resetPassword } from './mail-link-service.ts';
import { register } from './registration-service.ts';
import { originOf } from './requests.ts';
import { Accepted, LinkToken, NewPassword } from './schemas.ts';

const tags = ['Identity'] as const;
const sixAMinute = { attempts: 6, minutes: 1 } as const;

const Registration = strictObject(
  {
    name: described(Name, 'Your name.'),
    email: described(Email, 'Your e-mail address; a link that verifies it is mailed.'),
    password: NewPassword,
  },
  {
    title: 'Registration',
    examples: [{ name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple' }],
  },
);
const ForgottenPassword = strictObject(
  { email: described(Email, 'The address of the account.') },
  { title: 'ForgotPassword', examples: [{ email: 'ada@example.com' }] },
);
const PasswordReset = strictObject(
  { token: LinkToken, password: NewPassword },
  { title: 'ResetPassword', examples: [{ token: 'Zk3pQ8vN', password: 'correct horse battery staple' }] },
);
const PasswordSet = Type.Object({ password_set: Type.Literal(true) }, { title: 'PasswordSet' });

/** Registers the routes for registering and for choosing a new password by mail, with their full paths. */
export function registrationRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute({
      method: 'POST',
      url: '/api/v1/auth/register',
      onRequest: throttle(services.rateLimits, { name: 'register', ...sixAMinute }),
      schema: {
        operationId: 'register',
        summary: 'Register',
        tags,
        errors: ['RATE_LIMIT.EXCEEDED'],
        description:
          'Creates a user and mails a link that verifies the address. The response is the same if the address has an ' +
          'account already; the owner of the account then gets a mail that says so.',
        body: Registration,
        response: { 202: Envelope(Accepted) },
      },
      async handler({ request, reply }) {
        await register(services, request.body, originOf(request));
        reply.status(202);
        return success(request, { accepted: true } as const);
      },
    }),
    publicRoute({
      method: 'POST',
      url: '/api/v1/auth/forgot-password',
      onRequest: throttle(services.rateLimits, { name: 'forgot-password', ...sixAMinute }),
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Request a link to choose a password',
        tags,
        errors: ['RATE_LIMIT.EXCEEDED'],
        description:
          'The link works once, for 60 minutes. The response is the same whether or not the address has an account.',
        body: ForgottenPassword,
        response: { 202: Envelope(Accepted) },
      },
      async handler({ request, reply }) {
        await requestPasswordReset(services, request.body.email, originOf(request));
        reply.status(202);
        return success(request, { accepted: true } as const);
      },
    }),
    publicRoute({
      method: 'POST',
      url: '/api/v1/auth/reset-password',
      onRequest: throttle(services.rateLimits, { name: 'reset-password', ...sixAMinute }),
      schema: {
        operationId: 'resetPassword',
        summary: 'Choose a password with a mailed link',
        tags,
        errors: ['AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
        description: 'Revokes every session and every other link of the user, and verifies the address.',
        body: PasswordReset,
        response: { 200: Envelope(PasswordSet) },
      },
      async handler({ request }) {
        await resetPassword(services, request.body, originOf(request));
        return success(request, { password_set: true } as const);
      },
    }),
  ];
}
