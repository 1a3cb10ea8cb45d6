import { Readable } from 'node:stream';
import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import type { routeKind } from '../../../http/routes/tenant-route.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams, PageQuery } from '../../../http/schema.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { userCreatingRoute } from '../../tenant-core/idempotency/user-creating-route.ts';
import { provePassword } from '../identity/account-service.ts';
import { authenticateSession, listSessions, revokeOtherSessions, revokeSession } from '../identity/session-service.ts';
import type { Ability } from '../identity/subject.ts';
import { cancelDeletion, scheduleDeletion } from './deletion-service.ts';
import { emailChangeRoutes } from './email-change-routes.ts';
import { listExports, openExport, presentExport, readExport, requestExport } from './export-service.ts';
import {
  AccountExport,
  AccountView,
  AdminAccount,
  DeleteAccount,
  RevokedSessions,
  Session,
  UpdateAccount,
} from './schemas.ts';
import { presentAccount, updateAccount } from './service.ts';

const tags = ['Account'] as const;
const oneAccount = { 200: Envelope(AccountView) };

/** Registers the routes with which users read, change, export and delete their account, independently of any tenant. */
export function accountRoutes(services: Services): UserRoute[] {
  return [
    ...profileRoutes(services),
    ...emailChangeRoutes(services),
    ...sessionRoutes(services, sessionsOfUsers),
    ...exportRoutes(services),
    ...deletionRoutes(services),
  ];
}

function profileRoutes(services: Services): UserRoute[] {
  const lockout = createLockout(services.rateLimits);
  return [
    userRoute('GET', '/account', {
      operationId: 'getAccount',
      summary: 'Read your account',
      tags,
      response: oneAccount,
      handler: async ({ request, user }) => success(request, await presentAccount(services, user)),
    }),
    userRoute('PUT', '/account', {
      operationId: 'updateAccount',
      summary: 'Change your name or your password',
      tags,
      errors: ['ACCOUNT.CHANGED', 'ACCOUNT.NO_PASSWORD', 'AUTH.LOCKED_OUT'],
      description:
        'To set a new `password`, send the `current_password` too. The token of this request stays valid; every ' +
        'other token of the user is revoked, and a mail reports the change. Five wrong passwords lock this route ' +
        'for 15 minutes.',
      body: UpdateAccount,
      response: oneAccount,
      async handler({ request, user, actor }) {
        const sessionId = async () => (await authenticateSession(services, request)).id;
        const change = { ability: 'tenant', holder: user, actor, input: request.body, sessionId } as const;
        const changed = await updateAccount(services, lockout, change);
        return success(request, await presentAccount(services, changed));
      },
    }),
  ];
}

function exportRoutes(services: Services): UserRoute[] {
  return [
    userCreatingRoute(services, '/account/export', {
      onRequest: throttle(services.rateLimits, { name: 'account-export', attempts: 10, minutes: 60 }),
      operationId: 'requestAccountExport',
      summary: 'Request an export of your personal data',
      tags,
      errors: ['RATE_LIMIT.EXCEEDED'],
      description:
        'The export is created in the background. While an export is in progress, this route returns that export. ' +
        'A new export replaces the previous one. Limited to 10 requests per hour.',
      response: { 202: Envelope(AccountExport) },
      async create({ user, actor }, id) {
        const row = await requestExport(services, actor, { userId: user.id, id });
        return { status: 202, data: presentExport(services, row) };
      },
    }),
    userRoute('GET', '/account/exports', {
      operationId: 'listAccountExports',
      summary: 'List your exports that have not expired',
      tags,
      description: 'At most one: a new export replaces the previous one.',
      response: { 200: PageEnvelope(AccountExport) },
      async handler({ request, user }) {
        const rows = await listExports(services, user.id);
        return successPage(request, { rows: rows.map((row) => presentExport(services, row)), nextCursor: null });
      },
    }),
    userRoute('GET', '/account/exports/:id', {
      operationId: 'getAccountExport',
      summary: 'Read the progress of an export',
      tags,
      params: IdParams,
      response: { 200: Envelope(AccountExport) },
      handler: async ({ request, user }) =>
        success(request, presentExport(services, await readExport(services, user.id, request.params.id))),
    }),
    userRoute('GET', '/account/exports/:id/download', {
      operationId: 'downloadAccountExport',
      summary: 'Download an export',
      tags,
      errors: ['ACCOUNT.EXPORT_NOT_READY'],
      description:
        'Returns a JSON document without an envelope: `exported_at` and one list for each kind of record. Responds ' +
        'with 409 `ACCOUNT.EXPORT_NOT_READY` until the export is `ready`. If reading fails midway, the server ' +
        'closes the connection.',
      params: IdParams,
      response: {
        200: { description: 'The file.', content: { 'application/json': { schema: exportFile } } },
      },
      async handler({ request, reply, user }) {
        const pieces = await openExport(services, user.id, request.params.id);
        reply.type('application/json; charset=utf-8');
        reply.header('content-disposition', 'attachment; filename="account.json"');
        return reply.send(Readable.from(request.method === 'HEAD' ? [] : pieces));
      },
    }),
  ];
}

const exportFile = Type.Object(
  { exported_at: Type.String({ description: 'When the export was made.' }) },
  {
    title: 'AccountExportFile',
    description: 'The personal data of a user, as the export contains it.',
    additionalProperties: true,
  },
);

function deletionRoutes(services: Services): UserRoute[] {
  const lockout = createLockout(services.rateLimits);
  return [
    userRoute('POST', '/account/deletion', {
      operationId: 'scheduleAccountDeletion',
      summary: 'Schedule the deletion of your account in 30 days',
      tags,
      errors: ['ACCOUNT.LAST_OWNER', 'ACCOUNT.NO_PASSWORD', 'AUTH.LOCKED_OUT'],
      description:
        'Until then you can log in as usual and cancel the deletion. Responds with 409 `ACCOUNT.LAST_OWNER` while ' +
        'an active tenant has no other owner who can log in. If there is such a tenant when the 30 days are over, ' +
        'the deletion is tried again every day.',
      body: DeleteAccount,
      response: { 202: Envelope(AccountView) },
      async handler({ request, reply, user, actor }) {
        const { password } = request.body;
        const subject = { ability: 'tenant', id: user.id } as const;
        await provePassword(services, lockout, { subject, password, field: 'password', ip: request.ip });
        await scheduleDeletion(services, actor, user);
        reply.status(202);
        return success(request, await presentAccount(services, user));
      },
    }),
    userRoute('DELETE', '/account/deletion', {
      operationId: 'cancelAccountDeletion',
      summary: 'Cancel the deletion of your account',
      tags,
      description: 'If no deletion is scheduled, nothing changes. The response is the account in both cases.',
      response: oneAccount,
      async handler({ request, user, actor }) {
        await cancelDeletion(services, actor, user.id);
        return success(request, await presentAccount(services, user));
      },
    }),
  ];
}

const oneAdminAccount = { 200: Envelope(AdminAccount) };

/** Registers the routes with which admins change their own account and end their own sessions. */
export function adminAccountRoutes(services: Services): AdminRoute[] {
  return [...adminProfileRoutes(services), ...sessionRoutes(services, sessionsOfAdmins)];
}

function adminProfileRoutes(services: Services): AdminRoute[] {
  const lockout = createLockout(services.rateLimits);
  return [
    adminRoute('GET', '/account', {
      area: 'account',
      operationId: 'adminGetAccount',
      summary: 'Read your account as an admin',
      tags,
      response: oneAdminAccount,
      handler: ({ request, admin }) => success(request, admin),
    }),
    adminRoute('PUT', '/account', {
      area: 'account',
      operationId: 'adminUpdateAccount',
      summary: 'Change your name or your password as an admin',
      tags,
      errors: ['ACCOUNT.CHANGED', 'AUTH.LOCKED_OUT'],
      description:
        'To set a new `password`, send the `current_password` too. The token of this request stays valid; every ' +
        'other token of the admin is revoked, and a mail reports the change.',
      body: UpdateAccount,
      response: oneAdminAccount,
      async handler({ request, admin, actor }) {
        const sessionId = async () => (await authenticateSession(services, request)).id;
        const change = { ability: 'admin', holder: admin, actor, input: request.body, sessionId } as const;
        return success(request, await updateAccount(services, lockout, change));
      },
    }),
  ];
}

/** Where the routes of sessions are registered: for users or for admins. */
interface SessionOwners<Route extends RouteOptions> {
  readonly ability: Ability;
  /** The end of the summaries. */
  readonly as: string;
  readonly operationId: (ofUsers: string) => string;
  readonly route: ReturnType<typeof routeKind<{ readonly actor: Actor }, object, Route>>;
}

const sessionsOfUsers: SessionOwners<UserRoute> = {
  ability: 'tenant',
  as: '',
  operationId: (id) => id,
  route: userRoute,
};

const sessionsOfAdmins: SessionOwners<AdminRoute> = {
  ability: 'admin',
  as: ' as an admin',
  operationId: (ofUsers) => `admin${ofUsers.charAt(0).toUpperCase()}${ofUsers.slice(1)}`,
  route: (method, url, declaration) => adminRoute(method, url, { ...declaration, area: 'account' }),
};

/** Registers the routes with which users or admins list and end their sessions. */
function sessionRoutes<Route extends RouteOptions>(
  services: Services,
  { ability, as, operationId, route }: SessionOwners<Route>,
): Route[] {
  const tags = ['Account'] as const;
  const subjectOf = ({ id }: Actor) => ({ ability, id: id ?? '' });
  return [
    route('GET', '/account/sessions', {
      operationId: operationId('listAccountSessions'),
      summary: `List your sessions${as}`,
      tags,
      querystring: PageQuery({}),
      response: { 200: PageEnvelope(Session) },
      async handler({ request, actor }) {
        const { id } = await authenticateSession(services, request);
        const rows = await listSessions(services, subjectOf(actor), id, request.query);
        return successPage(request, toPage(rows, request.query.limit));
      },
    }),
    route('DELETE', '/account/sessions', {
      operationId: operationId('revokeOtherAccountSessions'),
      summary: `End all your sessions${as} except this one`,
      tags,
      response: { 200: Envelope(RevokedSessions) },
      async handler({ request, actor }) {
        const { id } = await authenticateSession(services, request);
        return success(request, { revoked_count: await revokeOtherSessions(services, actor, subjectOf(actor), id) });
      },
    }),
    route('DELETE', '/account/sessions/:id', {
      operationId: operationId('revokeAccountSession'),
      summary: `End one of your sessions${as}`,
      tags,
      description: 'Its token is refused from the next request on.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, actor }) {
        await revokeSession(services, actor, subjectOf(actor), request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
