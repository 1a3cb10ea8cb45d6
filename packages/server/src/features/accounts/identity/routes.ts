import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { DeletedEnvelope, Envelope, success, successDeleted } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { described, Email, PublicName, strictObject } from '../../../http/schema.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { requestPasswordReset, resendVerification, resetPassword, verifyEmail } from './mail-link-service.ts';
import { register } from './registration-service.ts';
import { atBothPaths, bearerOf, originOf, requireBearer, requireSession, sessionGuard, sessionOf } from './requests.ts';
import { Accepted, LinkToken, LoggedIn, Login, Me, NewPassword, User } from './schemas.ts';
import { describeBearer, describeSubject, logIn, logOut } from './service.ts';

const tags = ['Identity'] as const;

/**
 * Registers the routes for logging in, logging out and reading the caller's identity, for users and admins, with their
 * full paths.
 */
export function identityRoutes(services: Services): RouteOptions[] {
  const lockout = createLockout(services.rateLimits);
  const routes = [
    publicRoute('POST', '/api/v1/auth/login', {
      onRequest: throttle(services.rateLimits, { name: 'login', attempts: 10, minutes: 1 }),
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
      async handler({ request, reply }) {
        const { accessToken, expiresAt, ...who } = await logIn(services, lockout, request.body, originOf(request));
        reply.header('cache-control', 'no-store');
        const token = { access_token: accessToken, token_type: 'Bearer', expires_at: expiresAt } as const;
        return success(request, { ...token, ...(await describeSubject(services, who)) });
      },
    }),
    publicRoute('POST', '/api/v1/auth/logout', {
      guard: sessionGuard,
      onRequest: requireSession(services),
      operationId: 'logout',
      summary: 'Log out',
      tags,
      description: 'Revokes the token of the request. The response contains the id of the token.',
      response: { 200: DeletedEnvelope },
      async handler({ request }) {
        const token = sessionOf(request);
        await logOut(services, token, originOf(request));
        return successDeleted(request, token.id);
      },
    }),
    publicRoute('GET', '/api/v1/auth/me', {
      guard: { credentials: ['bearer'], codes: ['AUTH.INVALID_TOKEN'] },
      onRequest: requireBearer(services),
      operationId: 'getCurrentUser',
      summary: 'Read who is logged in',
      tags,
      description: 'For an access token, the response contains the token and its only tenant instead of a person.',
      response: { 200: Envelope(Me) },
      async handler({ request, reply }) {
        reply.header('cache-control', 'no-store');
        return success(request, await describeBearer(services, bearerOf(request)));
      },
    }),
  ];
  return routes.flatMap(atBothPaths);
}

const sixAMinute = { attempts: 6, minutes: 1 } as const;

const SignUp = Type.Object(
  {
    mode: Type.Union([Type.Literal('open'), Type.Literal('invite'), Type.Literal('off')], {
      title: 'SignUpMode',
      description:
        '`open`: anyone can register. `invite`: an account is created only by accepting an invitation. `off`: no ' +
        'account is created.',
    }),
    sends_mail: Type.Boolean({
      description: 'False without a mail server: each mail is a file in the folder `mail` of the data directory.',
    }),
  },
  {
    title: 'SignUp',
    description: 'Who can create an account, and whether mails are sent.',
    examples: [{ mode: 'open', sends_mail: true }],
  },
);

const Registration = strictObject(
  {
    name: described(PublicName, 'Your name.'),
    email: described(Email, 'Your email address; a link that verifies it is mailed.'),
    password: NewPassword,
  },
  {
    title: 'Registration',
    description: 'A new account.',
    examples: [{ name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple' }],
  },
);
const ForgottenPassword = strictObject(
  { email: described(Email, 'The address of the account.') },
  {
    title: 'ForgotPassword',
    description: 'Requests a link to reset a password.',
    examples: [{ email: 'ada@example.com' }],
  },
);
const PasswordReset = strictObject(
  { token: LinkToken, password: NewPassword },
  {
    title: 'ResetPassword',
    description: 'Sets a new password with the token of a mail.',
    examples: [{ token: 'Zk3pQ8vN', password: 'correct horse battery staple' }],
  },
);
const PasswordSet = Type.Object(
  { password_set: Type.Literal(true) },
  { title: 'PasswordSet', description: 'The new password is set.' },
);

/** Registers the routes for registering and for choosing a new password by mail, with their full paths. */
export function registrationRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute('GET', '/api/v1/auth/sign-up', {
      operationId: 'getSignUp',
      summary: 'Read who can create an account',
      tags,
      description: 'For sign-up and login screens.',
      response: { 200: Envelope(SignUp) },
      handler: ({ request }) => {
        const { signUp, smtp } = services.config;
        return success(request, { mode: signUp, sends_mail: smtp !== null });
      },
    }),
    publicRoute('POST', '/api/v1/auth/register', {
      onRequest: throttle(services.rateLimits, { name: 'register', ...sixAMinute }),
      operationId: 'register',
      summary: 'Register',
      tags,
      errors: ['AUTH.SIGN_UP_CLOSED', 'RATE_LIMIT.EXCEEDED'],
      description:
        'Creates a user and mails a link that verifies the address. The response is the same if the address has an ' +
        'account already; the owner of the account then gets a mail that says so. If the operator has closed sign-up, ' +
        'every address gets 403 `AUTH.SIGN_UP_CLOSED`.',
      body: Registration,
      response: { 202: Envelope(Accepted) },
      async handler({ request, reply }) {
        await register(services, request.body, originOf(request));
        reply.status(202);
        return success(request, { accepted: true } as const);
      },
    }),
    publicRoute('POST', '/api/v1/auth/forgot-password', {
      onRequest: throttle(services.rateLimits, { name: 'forgot-password', ...sixAMinute }),
      operationId: 'requestPasswordReset',
      summary: 'Request a link to choose a password',
      tags,
      errors: ['RATE_LIMIT.EXCEEDED'],
      description:
        'The link works once, for 60 minutes; earlier links stay valid until one is used. An address gets at most 5 ' +
        'links an hour and 15 a day, and then one an hour. The response is the same whether or not the address has an ' +
        'account, and whether or not a mail is sent.',
      body: ForgottenPassword,
      response: { 202: Envelope(Accepted) },
      async handler({ request, reply }) {
        await requestPasswordReset(services, request.body.email, originOf(request));
        reply.status(202);
        return success(request, { accepted: true } as const);
      },
    }),
    publicRoute('POST', '/api/v1/auth/reset-password', {
      onRequest: throttle(services.rateLimits, { name: 'reset-password', ...sixAMinute }),
      operationId: 'resetPassword',
      summary: 'Choose a password with a mailed link',
      tags,
      errors: ['AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description: 'Revokes every session and every other link of the user, and verifies the address.',
      body: PasswordReset,
      response: { 200: Envelope(PasswordSet) },
      async handler({ request }) {
        await resetPassword(services, request.body, originOf(request));
        return success(request, { password_set: true } as const);
      },
    }),
  ];
}

const VerifyEmail = strictObject(
  { token: LinkToken },
  { title: 'VerifyEmail', description: 'Confirms an email address.', examples: [{ token: 'Zk3pQ8vN' }] },
);

/** Registers the routes with which logged-in users verify their email address. */
export function emailRoutes(services: Services): UserRoute[] {
  return [
    userRoute('POST', '/auth/email/verify', {
      operationId: 'verifyEmail',
      summary: 'Verify your email address',
      tags,
      errors: ['AUTH.LINK_INVALID'],
      description:
        'Send the token of a link. It works for 60 minutes, until one of the links is used, and only for the user it was ' +
        'mailed to.',
      body: VerifyEmail,
      response: { 200: Envelope(User) },
      async handler({ request, user, actor }) {
        return success(request, await verifyEmail(services, actor, user, request.body.token));
      },
    }),
    userRoute('POST', '/auth/email/resend', {
      onRequest: throttle(services.rateLimits, { name: 'resend-verification', attempts: 3, minutes: 1 }),
      operationId: 'resendVerificationEmail',
      summary: 'Send a new link to verify your email address',
      tags,
      errors: ['RATE_LIMIT.EXCEEDED'],
      description:
        'Earlier links stay valid. No mail is sent if the address is already verified, or if it has got 5 such mails ' +
        'within an hour.',
      response: { 202: Envelope(Accepted) },
      async handler({ request, reply, user, actor }) {
        await resendVerification(services, actor, user);
        reply.status(202);
        return success(request, { accepted: true } as const);
      },
    }),
  ];
}
