import { type Static, Type } from 'typebox';
import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { adminRoleNames, adminRoles } from '../../../http/routes/admin-roles.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { described, Email, IdParams, Name, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import type { Admin } from '../identity/account-service.ts';
import { AdminRights, AdminRoleName } from '../identity/schemas.ts';
import { inviteNewAdmin, listAdmins, updateAdmin } from './service.ts';

const tags = ['Admins'] as const;
const area = 'admins';

const AdminView = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    name: Type.String(),
    role: AdminRoleName,
    disabled: Type.Boolean({ description: 'A disabled admin cannot log in.' }),
    joined: Type.Boolean({ description: 'False until the invitation is accepted.' }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'Admin',
    description: 'An admin of the platform.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f713',
        email: 'grace@example.com',
        name: 'Grace Hopper',
        role: 'billing_admin',
        disabled: false,
        joined: true,
        created_at: '2026-11-01T09:00:00.000000Z',
        updated_at: '2026-11-01T09:00:00.000000Z',
      },
    ],
  },
);

const InviteAdmin = strictObject(
  {
    email: described(Email, 'The address that receives the invitation.'),
    name: described(Name, 'The name of the admin.'),
    role: AdminRoleName,
  },
  {
    title: 'InviteAdmin',
    description: 'Invites a platform admin.',
    examples: [{ email: 'grace@example.com', name: 'Grace Hopper', role: 'billing_admin' }],
  },
);

const UpdateAdmin = strictObject(
  {
    role: Type.Optional(AdminRoleName),
    disabled: Type.Optional(
      Type.Boolean({ description: '`true` ends every session and prevents logins; `false` permits them again.' }),
    ),
  },
  {
    title: 'UpdateAdmin',
    description: 'The fields of a platform admin to change.',
    minProperties: 1,
    examples: [{ role: 'billing_readonly' }],
  },
);

const AdminRoleView = Type.Object(
  {
    role: AdminRoleName,
    description: Type.String({ description: 'What the role may do, as a sentence.' }),
    rights: AdminRights,
  },
  {
    title: 'AdminRoleView',
    description: 'A role of admins.',
    examples: [{ role: 'auditor', ...adminRoles.auditor }],
  },
);

const AdminsQuery = PageQuery({
  role: Type.Optional(described(AdminRoleName, 'Return only admins with this role.')),
});

/**
 * Registers the routes with which a super_admin lists, invites, changes and disables the admins of the platform, and the
 * list of their roles.
 */
export function adminsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/admins', {
      area,
      operationId: 'adminListAdmins',
      summary: 'List admins',
      tags,
      querystring: AdminsQuery,
      response: { 200: PageEnvelope(AdminView) },
      async handler({ request }) {
        const page = toPage(await listAdmins(services.platform, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentAdmin) });
      },
    }),
    adminRoute('GET', '/admins/roles', {
      operationId: 'adminListRoles',
      summary: 'List the roles of admins',
      tags,
      description: 'What each role may do, from the lowest role to the highest. The list is complete.',
      response: { 200: Envelope(Type.Array(AdminRoleView)) },
      handler: ({ request }) =>
        success(
          request,
          adminRoleNames.map((role) => ({ role, ...adminRoles[role] })),
        ),
    }),
    adminRoute('POST', '/admins', {
      area,
      operationId: 'adminInviteAdmin',
      summary: 'Invite an admin',
      tags,
      errors: ['ADMIN.EMAIL_TAKEN'],
      description:
        'Sends an invitation link by mail. If the admin has not joined yet, a new link replaces the previous one.',
      body: InviteAdmin,
      response: { 201: Envelope(AdminView) },
      async handler({ request, reply, actor }) {
        const admin = await inviteNewAdmin(services, actor, request.body);
        reply.status(201);
        return success(request, presentAdmin(admin));
      },
    }),
    adminRoute('PATCH', '/admins/:id', {
      area,
      operationId: 'adminUpdateAdmin',
      summary: 'Change the role of an admin, or disable or enable one',
      tags,
      errors: ['ADMIN.LAST_SUPER_ADMIN', 'ADMIN.OWN_ROLE'],
      params: IdParams,
      body: UpdateAdmin,
      response: { 200: Envelope(AdminView) },
      async handler({ request, actor }) {
        return success(request, presentAdmin(await updateAdmin(services, actor, request.params.id, request.body)));
      },
    }),
  ];
}

function presentAdmin(row: Admin): Static<typeof AdminView> {
  const { id, email, name, role, created_at, updated_at } = row;
  const state = { disabled: row.disabled_at !== null, joined: row.password_hash !== null };
  return { id, email, name, role, ...state, created_at, updated_at };
}
