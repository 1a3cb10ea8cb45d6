import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { TenantRoleName } from '../../../http/routes/tenant-role-schemas.ts';
import { described, Nullable, PublicName, strictObject, TimestampOut } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { AdminRoleName, LinkToken, Me, NewPassword } from '../identity/schemas.ts';
import { describeSubject } from '../identity/service.ts';
import { readTwoFactor } from '../identity/two-factor-service.ts';
import { acceptInvitation, declineInvitation, readInvitation } from './service.ts';

const AcceptInvitation = strictObject(
  {
    token: LinkToken,
    name: Type.Optional(described(PublicName, 'Your name. Required without an account, otherwise ignored.')),
    password: Type.Optional(described(NewPassword, 'Required without an account, otherwise ignored.')),
  },
  {
    title: 'AcceptInvitation',
    description: 'Accepts an invitation. Someone without an account chooses a name and a password.',
    examples: [{ token: 'Zk3pQ8vN', name: 'Grace Hopper', password: 'correct horse battery staple' }],
  },
);

const ReadInvitation = strictObject(
  { token: LinkToken },
  { title: 'ReadInvitation', description: 'Asks for the invitation of a token.', examples: [{ token: 'Zk3pQ8vN' }] },
);

const DeclineInvitation = strictObject(
  { token: LinkToken },
  { title: 'DeclineInvitation', description: 'Declines an invitation.', examples: [{ token: 'Zk3pQ8vN' }] },
);

const Invitation = Type.Object(
  {
    email: Type.String(),
    name: Nullable(Type.String(), { description: 'The name that the inviter gave.' }),
    kind: Type.Union([Type.Literal('tenant'), Type.Literal('admin')], {
      title: 'InvitationKind',
      description: '`tenant`: to a tenant. `admin`: to the administration of the platform.',
    }),
    role: Type.Union([TenantRoleName, AdminRoleName]),
    tenant_name: Nullable(Type.String(), { description: 'Null for `admin`.' }),
    expires_at: TimestampOut,
    has_account: Type.Boolean({
      description: 'Accepting then needs neither a name nor a password, and changes nothing about the account.',
    }),
  },
  {
    title: 'Invitation',
    description: 'An open invitation, as its recipient sees it.',
    examples: [
      {
        email: 'grace@example.com',
        name: null,
        kind: 'tenant',
        role: 'admin',
        tenant_name: 'Acme',
        expires_at: '2026-11-27T17:42:00.123456Z',
        has_account: false,
      },
    ],
  },
);

const DeclinedInvitation = Type.Object(
  { declined: Type.Literal(true) },
  { title: 'DeclinedInvitation', description: 'The invitation was declined.', examples: [{ declined: true }] },
);

/** Registers the routes that read, accept and decline an invitation, with their full paths. */
export function invitationRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute('POST', '/api/v1/auth/invitation', {
      onRequest: throttle(services.rateLimits, { name: 'read-invitation', attempts: 20, minutes: 1 }),
      operationId: 'readInvitation',
      summary: 'Read an invitation',
      tags: ['Identity'],
      errors: ['AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description: 'Says who is invited to what. The link stays valid.',
      body: ReadInvitation,
      response: { 200: Envelope(Invitation) },
      async handler({ request, reply }) {
        reply.header('cache-control', 'no-store');
        return success(request, await readInvitation(services, request.body.token));
      },
    }),
    publicRoute('POST', '/api/v1/auth/accept-invitation', {
      onRequest: throttle(services.rateLimits, { name: 'accept-invitation', attempts: 6, minutes: 1 }),
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation',
      tags: ['Identity'],
      errors: ['AUTH.LINK_INVALID', 'AUTH.SIGN_UP_CLOSED', 'PLAN.LIMIT_REACHED', 'RATE_LIMIT.EXCEEDED'],
      description:
        'With an account (`has_account`), the account becomes a member. Without one, the `name` and the `password` ' +
        'create it. The person can then log in.',
      body: AcceptInvitation,
      response: { 200: Envelope(Me) },
      async handler({ request, reply }) {
        const subject = await acceptInvitation(services, request.body, { requestId: request.id, ip: request.ip });
        reply.header('cache-control', 'no-store');
        const { enabled: hasTwoFactor } = await readTwoFactor(services, subject);
        return success(request, await describeSubject(services, { subject, hasTwoFactor }));
      },
    }),
    publicRoute('POST', '/api/v1/auth/decline-invitation', {
      onRequest: throttle(services.rateLimits, { name: 'decline-invitation', attempts: 6, minutes: 1 }),
      operationId: 'declineInvitation',
      summary: 'Decline an invitation to a tenant',
      tags: ['Identity'],
      errors: ['AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description: 'The link stops working. Needs no account.',
      body: DeclineInvitation,
      response: { 200: Envelope(DeclinedInvitation) },
      async handler({ request, reply }) {
        await declineInvitation(services, request.body.token, { requestId: request.id, ip: request.ip });
        reply.header('cache-control', 'no-store');
        return success(request, { declined: true as const });
      },
    }),
  ];
}
