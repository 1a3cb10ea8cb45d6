import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { userCreatingRoute } from '../../tenant-core/idempotency/user-creating-route.ts';
import { provePassword } from '../identity/account-service.ts';
import { authenticateSession } from '../identity/session-service.ts';
import { cancelDeletion, scheduleDeletion } from './deletion-service.ts';
import { emailChangeRoutes } from './email-change-routes.ts';
import { listExports, openExport, presentExport, readExport, requestExport } from './export-service.ts';
import { AccountExport, AccountView, DeleteAccount, UpdateAccount } from './schemas.ts';
import { presentAccount, updateAccount } from './service.ts';
import { sessionRoutes, sessionsOfUsers } from './session-routes.ts';

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
    userRoute({
      method: 'GET',
      url: '/account',
      schema: { operationId: 'getAccount', summary: 'Read your account', tags, response: oneAccount },
      handler: async ({ request, user }) => success(request, await presentAccount(services, user)),
    }),
    userRoute({
      method: 'PUT',
      url: '/account',
      schema: {
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
      },
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
    userCreatingRoute(services, {
      url: '/account/export',
      // Each export opens the database of every tenant.
      onRequest: throttle(services.rateLimits, { name: 'account-export', attempts: 10, minutes: 60 }),
      schema: {
        operationId: 'requestAccountExport',
        summary: 'Request an export of your personal data',
        tags,
        errors: ['RATE_LIMIT.EXCEEDED'],
        description:
          'The export is created in the background. While an export is in progress, this route returns that export. ' +
          'A new export replaces the previous one. Limited to 10 requests per hour.',
        response: { 202: Envelope(AccountExport) },
      },
      async create({ user, actor }, id) {
        const row = await requestExport(services, actor, { userId: user.id, id });
        return { status: 202, data: presentExport(services, row) };
      },
    }),
    userRoute({
      method: 'GET',
      url: '/account/exports',
      schema: {
        operationId: 'listAccountExports',
        summary: 'List your exports that have not expired',
        tags,
        description: 'At most one: a new export replaces the previous one.',
        response: { 200: PageEnvelope(AccountExport) },
      },
      async handler({ request, user }) {
        const rows = await listExports(services, user.id);
        return successPage(request, { rows: rows.map((row) => presentExport(services, row)), nextCursor: null });
      },
    }),
    userRoute({
      method: 'GET',
      url: '/account/exports/:id',
      schema: {
        operationId: 'getAccountExport',
        summary: 'Read the progress of an export',
        tags,
        params: IdParams,
        response: { 200: Envelope(AccountExport) },
      },
      handler: async ({ request, user }) =>
        success(request, presentExport(services, await readExport(services, user.id, request.params.id))),
    }),
    userRoute({
      method: 'GET',
      url: '/account/exports/:id/download',
      schema: {
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
  { title: 'AccountExportFile', additionalProperties: true },
);

function deletionRoutes(services: Services): UserRoute[] {
  const lockout = createLockout(services.rateLimits);
  return [
    userRoute({
      method: 'POST',
      url: '/account/deletion',
      schema: {
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
      },
      async handler({ request, reply, user, actor }) {
        const { password } = request.body;
        const subject = { ability: 'tenant', id: user.id } as const;
        await provePassword(services, lockout, { subject, password, field: 'password', ip: request.ip });
        await scheduleDeletion(services, actor, user);
        reply.status(202);
        return success(request, await presentAccount(services, user));
      },
    }),
    userRoute({
      method: 'DELETE',
      url: '/account/deletion',
      schema: {
        operationId: 'cancelAccountDeletion',
        summary: 'Cancel the deletion of your account',
        tags,
        description: 'If no deletion is scheduled, nothing changes. The response is the account in both cases.',
        response: oneAccount,
      },
      async handler({ request, user, actor }) {
        await cancelDeletion(services, actor, user.id);
        return success(request, await presentAccount(services, user));
      },
    }),
  ];
}
