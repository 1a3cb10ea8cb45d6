import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { described, Email, strictObject } from '../../../http/schema.ts';
import { foldEmail } from '../../../lib/email.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { cancelEmailChange, requestEmailChange } from '../identity/email-change-service.ts';
import { originOf } from '../identity/requests.ts';
import { GivenPassword, LinkToken, SecondFactorCode } from '../identity/schemas.ts';
import { authenticateSession } from '../identity/session-service.ts';
import { AccountView } from './schemas.ts';
import { followEmailLink, presentAccount } from './service.ts';

const ChangeEmail = strictObject(
  {
    email: described(Email, 'The new address; a link that confirms it is mailed.'),
    password: GivenPassword,
    code: Type.Optional(
      described(SecondFactorCode, 'The code of the authenticator app or a recovery code, if two-factor login is on.'),
    ),
  },
  {
    title: 'ChangeEmail',
    description: 'Requests a new email address, which the user confirms by mail.',
    examples: [{ email: 'ada@example.org', password: 'correct horse battery staple' }],
  },
);

const EmailChangeToken = strictObject(
  { token: LinkToken },
  {
    title: 'EmailChangeToken',
    description: 'The token of a mail about a new address.',
    examples: [{ token: 'Zk3pQ8vN' }],
  },
);
const EmailChanged = Type.Object(
  { email: Type.String({ description: 'The address that the account has now.' }) },
  {
    title: 'EmailChanged',
    description: 'The address of the account after the change.',
    examples: [{ email: 'ada@example.org' }],
  },
);

/** Registers the routes with which users request and cancel a change of their email address. */
export function emailChangeRoutes(services: Services): UserRoute[] {
  const lockout = createLockout(services.rateLimits);
  return [
    userRoute('POST', '/account/email', {
      onRequest: throttle(services.rateLimits, { name: 'account-email', attempts: 10, minutes: 60 }),
      operationId: 'requestEmailChange',
      summary: 'Change your email address',
      tags: ['Account'],
      errors: [
        'ACCOUNT.CHANGED',
        'AUTH.TWO_FACTOR_REQUIRED',
        'AUTH.TWO_FACTOR_INVALID',
        'AUTH.LOCKED_OUT',
        'RATE_LIMIT.EXCEEDED',
        'MAIL.LIMIT_REACHED',
      ],
      description:
        'Mails a link to the new address, which confirms the change within 60 minutes, and a notice to the present ' +
        'address, whose link undoes it for 7 days. The response is the same if the new address has an account; its ' +
        'owner then gets a mail that says so. A new request replaces the previous one.',
      body: ChangeEmail,
      response: { 202: Envelope(AccountView) },
      async handler({ request, reply, user, actor }) {
        const { email, password, code } = request.body;
        const { id: sessionId } = await authenticateSession(services, request);
        const change = { user, actor, sessionId, email: foldEmail(email), password, code };
        await requestEmailChange(services, lockout, change);
        reply.status(202);
        return success(request, await presentAccount(services, user));
      },
    }),
    userRoute('DELETE', '/account/email', {
      operationId: 'cancelEmailChange',
      summary: 'Cancel the change of your email address',
      tags: ['Account'],
      description:
        'If no change waits for its confirmation, nothing changes. The response is the account in both cases.',
      response: { 200: Envelope(AccountView) },
      async handler({ request, user, actor }) {
        await cancelEmailChange(services, actor, user.id);
        return success(request, await presentAccount(services, user));
      },
    }),
  ];
}

/** Registers the routes of the links in the mails about a change of an email address, with their full paths. */
export function emailLinkRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute('POST', '/api/v1/auth/change-email', {
      onRequest: throttle(services.rateLimits, { name: 'confirm-email-change', attempts: 6, minutes: 1 }),
      operationId: 'confirmEmailChange',
      summary: 'Confirm a new email address',
      tags: ['Identity'],
      errors: ['ACCOUNT.EMAIL_TAKEN', 'AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description:
        'Send the token of the newest link. Every session except the one that requested the change ends, and links ' +
        'that were mailed to the former address stop working. Open invitations are mailed again to the new address.',
      body: EmailChangeToken,
      response: { 200: Envelope(EmailChanged) },
      async handler({ request }) {
        const { token } = request.body;
        return success(request, {
          email: await followEmailLink(services, 'confirm', { token, origin: originOf(request) }),
        });
      },
    }),
    publicRoute('POST', '/api/v1/auth/revert-email', {
      onRequest: throttle(services.rateLimits, { name: 'revert-email-change', attempts: 6, minutes: 1 }),
      operationId: 'revertEmailChange',
      summary: 'Undo a change of an email address',
      tags: ['Identity'],
      errors: ['ACCOUNT.EMAIL_TAKEN', 'AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description:
        'Cancels a change that is not confirmed, or gives the account its former address back. Because the account ' +
        'may be stolen, every session ends, the password stops working, and the address gets a link to choose a new one.',
      body: EmailChangeToken,
      response: { 200: Envelope(EmailChanged) },
      async handler({ request }) {
        const { token } = request.body;
        return success(request, {
          email: await followEmailLink(services, 'revert', { token, origin: originOf(request) }),
        });
      },
    }),
  ];
}
