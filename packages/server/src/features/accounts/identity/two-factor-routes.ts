import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { Nullable, strictObject, TimestampOut } from '../../../http/schema.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { originOf, requireSession, sessionGuard, sessionOf } from './requests.ts';
import { GivenPassword, SecondFactorCode } from './schemas.ts';
import { recoveryCodeCount } from './two-factor.ts';
import {
  beginSetup,
  confirmSetup,
  disableTwoFactor,
  readTwoFactor,
  replaceRecoveryCodes,
} from './two-factor-service.ts';
import { undoTwoFactor } from './two-factor-undo-service.ts';

const tags = ['Identity'] as const;
const url = '/api/v1/auth/two-factor';

const Status = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether a login requires a code.' }),
    enabled_at: Nullable(TimestampOut, { description: 'Null while it is off.' }),
    recovery_codes_left: Type.Integer({ description: 'The number of unused recovery codes.' }),
  },
  {
    title: 'TwoFactorStatus',
    description: 'Whether two-factor authentication is on.',
    examples: [{ enabled: true, enabled_at: '2026-11-20T17:42:00.123456Z', recovery_codes_left: recoveryCodeCount }],
  },
);

const Setup = Type.Object(
  {
    secret: Type.String({ description: 'The secret in base32. Only this response contains it.' }),
    otpauth_url: Type.String({ description: 'The URL to show as a QR code for the authenticator app.' }),
  },
  {
    title: 'TwoFactorSetup',
    description: 'The secret for an authenticator app.',
    examples: [
      {
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        otpauth_url:
          'otpauth://totp/Licensing:ada@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Licensing',
      },
    ],
  },
);

const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      minItems: recoveryCodeCount,
      maxItems: recoveryCodeCount,
      description: 'Each replaces a code of the app once. Only this response contains them.',
    }),
  },
  {
    title: 'RecoveryCodes',
    description: 'New recovery codes, each for one login without the second factor.',
    examples: [{ recovery_codes: Array.from({ length: recoveryCodeCount }, (_, index) => `K7QX-2MZ${index}-RT4W`) }],
  },
);

const BeginTwoFactorSetup = strictObject(
  { password: GivenPassword },
  {
    title: 'BeginTwoFactorSetup',
    description: 'Starts the setup of two-factor authentication.',
    examples: [{ password: 'correct horse battery staple' }],
  },
);
const TwoFactorCode = strictObject(
  { code: SecondFactorCode },
  { title: 'TwoFactorCode', description: 'A code of the authenticator app.', examples: [{ code: '492039' }] },
);
const DisableTwoFactor = strictObject(
  { password: GivenPassword, code: SecondFactorCode },
  {
    title: 'DisableTwoFactor',
    description: 'Turns two-factor authentication off.',
    examples: [{ password: 'correct horse battery staple', code: '492039' }],
  },
);
const TwoFactorDisabled = Type.Object(
  { enabled: Type.Literal(false) },
  { title: 'TwoFactorDisabled', description: 'Two-factor authentication is off.' },
);

/**
 * Registers the routes for two-factor authentication with an authenticator app (TOTP, RFC 6238), for users and admins,
 * with their full paths.
 */
export function twoFactorRoutes(services: Services): RouteOptions[] {
  const guarded = { ...services, lockout: createLockout(services.rateLimits) };
  return [
    publicRoute('GET', url, {
      guard: sessionGuard,
      onRequest: requireSession(services),
      operationId: 'getTwoFactor',
      summary: 'Read the status of two-factor authentication',
      tags,
      response: { 200: Envelope(Status) },
      async handler({ request, reply }) {
        reply.header('cache-control', 'no-store');
        return success(request, await readTwoFactor(services, sessionOf(request).subject));
      },
    }),
    publicRoute('POST', `${url}/setup`, {
      guard: sessionGuard,
      onRequest: enter(services, 'two-factor-setup'),
      operationId: 'startTwoFactorSetup',
      summary: 'Start setting up an authenticator app',
      tags,
      errors: ['AUTH.INVALID_CREDENTIALS', 'AUTH.TWO_FACTOR_ENABLED', 'AUTH.LOCKED_OUT', 'RATE_LIMIT.EXCEEDED'],
      description: 'Two-factor authentication stays off until you confirm the setup with a first code.',
      body: BeginTwoFactorSetup,
      response: { 200: Envelope(Setup) },
      async handler({ request, reply }) {
        reply.header('cache-control', 'no-store');
        return success(
          request,
          await beginSetup(guarded, sessionOf(request), request.body.password, originOf(request)),
        );
      },
    }),
    publicRoute('POST', `${url}/confirm`, {
      guard: sessionGuard,
      onRequest: enter(services, 'two-factor-confirm'),
      operationId: 'confirmTwoFactorSetup',
      summary: 'Turn two-factor authentication on',
      tags,
      errors: [
        'AUTH.TWO_FACTOR_INVALID',
        'AUTH.TWO_FACTOR_ENABLED',
        'AUTH.TWO_FACTOR_NOT_SET_UP',
        'AUTH.LOCKED_OUT',
        'RATE_LIMIT.EXCEEDED',
      ],
      description:
        'Send a first code of the app. Every other session is ended. The response contains the recovery codes.',
      body: TwoFactorCode,
      response: { 200: Envelope(RecoveryCodes) },
      async handler({ request, reply }) {
        reply.header('cache-control', 'no-store');
        const codes = await confirmSetup(guarded, sessionOf(request), request.body.code, originOf(request));
        return success(request, { recovery_codes: codes });
      },
    }),
    publicRoute('POST', `${url}/recovery-codes`, {
      guard: sessionGuard,
      onRequest: enter(services, 'two-factor-recovery-codes'),
      operationId: 'replaceRecoveryCodes',
      summary: 'Replace the recovery codes',
      tags,
      errors: ['AUTH.TWO_FACTOR_INVALID', 'AUTH.TWO_FACTOR_NOT_SET_UP', 'AUTH.LOCKED_OUT', 'RATE_LIMIT.EXCEEDED'],
      description: 'The previous recovery codes stop working.',
      body: TwoFactorCode,
      response: { 200: Envelope(RecoveryCodes) },
      async handler({ request, reply }) {
        reply.header('cache-control', 'no-store');
        const codes = await replaceRecoveryCodes(guarded, sessionOf(request), request.body.code, originOf(request));
        return success(request, { recovery_codes: codes });
      },
    }),
    publicRoute('DELETE', url, {
      guard: sessionGuard,
      onRequest: enter(services, 'two-factor-disable'),
      operationId: 'disableTwoFactor',
      summary: 'Turn two-factor authentication off',
      tags,
      errors: [
        'AUTH.INVALID_CREDENTIALS',
        'AUTH.TWO_FACTOR_INVALID',
        'AUTH.TWO_FACTOR_NOT_SET_UP',
        'AUTH.LOCKED_OUT',
        'RATE_LIMIT.EXCEEDED',
      ],
      body: DisableTwoFactor,
      response: { 200: Envelope(TwoFactorDisabled) },
      async handler({ request }) {
        await disableTwoFactor(guarded, sessionOf(request), request.body, originOf(request));
        return success(request, { enabled: false } as const);
      },
    }),
  ];
}

/** Authenticates the request before it is throttled, so that the throttle counts per user or admin, not per address. */
function enter(services: Services, name: string) {
  const limit = throttle(services.rateLimits, { name, attempts: 6, minutes: 1 });
  const authenticate = requireSession(services);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await authenticate(request);
    await limit(request, reply);
  };
}

/** The token is longer than that of other links, because it contains what it undoes. */
const UndoTwoFactor = strictObject(
  { token: Type.String({ minLength: 1, maxLength: 1_000, description: 'The token of the mailed link.' }) },
  {
    title: 'UndoTwoFactor',
    description: 'Removes a second factor with the token of the mail about it.',
    examples: [{ token: 'Zk3pQ8vN' }],
  },
);
const TwoFactorUndone = Type.Object(
  { email: Type.String({ description: 'The address of the account.' }) },
  {
    title: 'TwoFactorUndone',
    description: 'The account whose second factor was removed.',
    examples: [{ email: 'ada@example.com' }],
  },
);

/** Registers the route of the link in the mail that two-factor authentication was turned on, with its full path. */
export function twoFactorLinkRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute('POST', '/api/v1/auth/undo-two-factor', {
      onRequest: throttle(services.rateLimits, { name: 'undo-two-factor', attempts: 6, minutes: 1 }),
      operationId: 'undoTwoFactor',
      summary: 'Undo that two-factor authentication was turned on',
      tags,
      errors: ['AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description:
        'For users, with the token of the mail that says so, within 7 days. Because the account may be stolen, every ' +
        'session ends, the password stops working, and the address gets a link to choose a new one.',
      body: UndoTwoFactor,
      response: { 200: Envelope(TwoFactorUndone) },
      async handler({ request }) {
        return success(request, { email: await undoTwoFactor(services, request.body.token, originOf(request)) });
      },
    }),
  ];
}
