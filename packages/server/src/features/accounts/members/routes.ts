import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { listMembers } from './queries.ts';
import { AddMember, ChangeMember, Member, MembersQuery } from './schemas.ts';
import { changeMember, createMember, removeMember } from './service.ts';

const tags = ['Members'] as const;

/** Registers the routes with which a tenant lists, adds, changes and removes its members and open invitations. */
export function memberRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listMembers',
      summary: 'List members and open invitations',
      tags,
      description:
        'An invitation is listed while its link works, which is seven days. A test tenant has the members of its live ' +
        'tenant, where they are changed.',
      querystring: MembersQuery,
      response: { 200: PageEnvelope(Member) },
      async handler({ request, tenant }) {
        const { query } = request;
        const rows = await listMembers(services.platform, tenant.id, query, services.clock.now());
        return successPage(request, toPage(rows, query.limit));
      },
    }),
    creatingRoute(services, '', {
      operationId: 'addMember',
      summary: 'Invite a member',
      tags,
      errors: ['MEMBER.ALREADY_ADDED', 'TEST_TENANT.NOT_LIVE', 'PLAN.LIMIT_REACHED', 'MAIL.LIMIT_REACHED'],
      description:
        'Owners only. The address is invited by mail, with the same response whether or not it has an account. The ' +
        'person becomes a member by accepting. A new invitation replaces the previous one and its link. A member who ' +
        'is no owner can be invited with the role `owner`. At most 100 invitations of the tenant in a day, and 3 to ' +
        'one address.',
      body: AddMember,
      response: { 201: Envelope(Member) },
      create: ({ request, tenant, actor }) => createMember(services, tenant, actor, request.body),
      answer: (member) => ({ status: 201, data: member }),
    }),
    tenantRoute('PUT', '/:id', {
      operationId: 'updateMember',
      summary: 'Change the role of a member or of an invitation',
      tags,
      errors: ['MEMBER.LAST_OWNER', 'MEMBER.CONSENT_REQUIRED', 'TEST_TENANT.NOT_LIVE'],
      description:
        'Owners only. Responds with 409 `MEMBER.LAST_OWNER` for the last owner who can log in, and with 409 ' +
        '`MEMBER.CONSENT_REQUIRED` for a change to `owner`: invite the address with that role instead.',
      params: IdParams,
      body: ChangeMember,
      response: { 200: Envelope(Member) },
      async handler({ request, tenant, actor }) {
        return success(request, await changeMember(services, tenant, actor, request.params.id, request.body));
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'removeMember',
      summary: 'Remove a member, or withdraw an invitation',
      tags,
      errors: ['MEMBER.LAST_OWNER', 'TEST_TENANT.NOT_LIVE'],
      description:
        'Owners only. A member loses access with the next request. The link of a withdrawn invitation stops ' +
        'working. Responds with 409 `MEMBER.LAST_OWNER` for the last owner who can log in.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await removeMember(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
