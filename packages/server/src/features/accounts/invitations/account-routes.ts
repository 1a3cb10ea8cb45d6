import { Type } from 'typebox';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { TenantRoleName } from '../../../http/routes/tenant-role-schemas.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { described, IdParams, TimestampOut, Uuid } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { acceptAccountInvitation, declineAccountInvitation, listAccountInvitations } from './service.ts';

const tags = ['Account'] as const;

const AccountInvitation = Type.Object(
  {
    id: described(Uuid, 'The id of the invitation.'),
    tenant_id: described(Uuid, 'The tenant that invites.'),
    tenant_name: Type.String(),
    role: TenantRoleName,
    created_at: TimestampOut,
    expires_at: TimestampOut,
  },
  {
    title: 'AccountInvitation',
    description: 'An open invitation of your address to a tenant.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f71c',
        tenant_id: '019a9b1a-0c11-7e02-9d3f-2a5b8c7d6e10',
        tenant_name: 'Acme',
        role: 'viewer',
        created_at: '2026-11-01T09:05:00.000000Z',
        expires_at: '2026-11-08T09:05:00.000000Z',
      },
    ],
  },
);

/** Registers the routes with which a user lists, accepts and declines the invitations of the verified address. */
export function accountInvitationRoutes(services: Services): UserRoute[] {
  return [
    userRoute('GET', '/account/invitations', {
      verifiedEmail: true,
      operationId: 'listAccountInvitations',
      summary: 'List your open invitations',
      tags,
      description:
        'The newest 100 invitations of your address, newest first. An invitation changes nothing until you accept it.',
      response: { 200: PageEnvelope(AccountInvitation) },
      async handler({ request, user }) {
        return successPage(request, { rows: await listAccountInvitations(services, user), nextCursor: null });
      },
    }),
    userRoute('POST', '/account/invitations/:id/accept', {
      verifiedEmail: true,
      operationId: 'acceptAccountInvitation',
      summary: 'Accept an invitation',
      tags,
      errors: ['PLAN.LIMIT_REACHED'],
      description: 'You become a member with the role of the invitation. A member who is invited as owner becomes one.',
      params: IdParams,
      response: { 200: Envelope(AccountInvitation) },
      async handler({ request, user, actor }) {
        return success(request, await acceptAccountInvitation(services, user, actor, request.params.id));
      },
    }),
    userRoute('POST', '/account/invitations/:id/decline', {
      verifiedEmail: true,
      operationId: 'declineAccountInvitation',
      summary: 'Decline an invitation',
      tags,
      description: 'The link in the mail stops working.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, user, actor }) {
        await declineAccountInvitation(services, user, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
