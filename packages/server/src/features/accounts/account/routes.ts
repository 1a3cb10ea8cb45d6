import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { createLockout } from '../../../rate-limit/lockout.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { provePassword } from '../identity/profile-service.ts';
import { authenticateToken } from '../identity/tokens.ts';
import { cancelDeletion, scheduleDeletion } from './deletion-service.ts';
import { openExport, presentExport, readExport, requestExport } from './export-service.ts';
import { AccountExport, AccountView, DeleteAccount, UpdateAccount } from './schemas.ts';
import { presentAccount, updateAccount } from './service.ts';

const tags = ['Account'] as const;
const oneAccount = { 200: Envelope(AccountView) };

/** What a user may see and change of the own account, whichever tenants the user belongs to. */
export function accountRoutes(services: Services): UserRoute[] {
  return [...profileRoutes(services), ...exportRoutes(services), ...deletionRoutes(services)];
}

function profileRoutes(services: Services): UserRoute[] {
  const lockout = createLockout(services);
  return [
    userRoute({
      method: 'GET',
      url: '/account',
      schema: { summary: 'Read your account', tags, response: oneAccount },
      handler: async ({ request, user }) => success(request, await presentAccount(services, user)),
    }),
    userRoute({
      method: 'PUT',
      url: '/account',
      schema: {
        summary: 'Change your name or your password',
        tags,
        description:
          'A new `password` needs the `current_password`; the token of the request goes on being good, and every other ' +
          'ends. A mail tells of it. Five wrong passwords lock this for 15 minutes.',
        body: UpdateAccount,
        response: oneAccount,
      },
      async handler({ request, user, actor }) {
        const tokenId = async () => (await authenticateToken(services, request)).id;
        const changed = await updateAccount(services, lockout, { user, actor, input: request.body, tokenId });
        return success(request, await presentAccount(services, changed));
      },
    }),
  ];
}

function exportRoutes(services: Services): UserRoute[] {
  return [
    userRoute({
      method: 'POST',
      url: '/account/export',
      // Each opens the database of every tenant.
      onRequest: throttle(services, { name: 'account-export', attempts: 10, minutes: 60 }),
      schema: {
        summary: 'Ask for everything that is held on you',
        tags,
        description:
          'It is gathered in the background. While one is being made it is answered again; a new one takes the place of ' +
          'the one before. Ten requests an hour.',
        response: { 202: Envelope(AccountExport) },
      },
      async handler({ request, reply, user, actor }) {
        const row = await requestExport(services, actor, user.id);
        reply.status(202);
        return success(request, presentExport(row));
      },
    }),
    userRoute({
      method: 'GET',
      url: '/account/exports/:id',
      schema: {
        summary: 'Read how far an export is',
        tags,
        params: IdParams,
        response: { 200: Envelope(AccountExport) },
      },
      handler: async ({ request, user }) =>
        success(request, presentExport(await readExport(services, user.id, request.params.id))),
    }),
    userRoute({
      method: 'GET',
      url: '/account/exports/:id/download',
      schema: {
        summary: 'Download an export',
        tags,
        description:
          'A JSON document without an envelope: `exported_at` and one list for each kind of record. 409 ' +
          '`ACCOUNT.EXPORT_NOT_READY` until the export is `ready`. When something fails midway the connection breaks.',
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

const exportFile = Type.Object({ exported_at: Type.String() }, { additionalProperties: true });

function deletionRoutes(services: Services): UserRoute[] {
  const lockout = createLockout(services);
  return [
    userRoute({
      method: 'POST',
      url: '/account/deletion',
      schema: {
        summary: 'Have everything about you erased in 30 days',
        tags,
        description:
          'Until then you can log in as usual and cancel it. 409 `ACCOUNT.LAST_OWNER` while an active tenant has no other ' +
          'owner who can log in; with such a tenant at the end it is tried again every day.',
        body: DeleteAccount,
        response: { 202: Envelope(AccountView) },
      },
      async handler({ request, reply, user, actor }) {
        const { password } = request.body;
        await provePassword(services, lockout, { userId: user.id, password, field: 'password', ip: request.ip });
        await scheduleDeletion(services, actor, user);
        reply.status(202);
        return success(request, await presentAccount(services, user));
      },
    }),
    userRoute({
      method: 'DELETE',
      url: '/account/deletion',
      schema: {
        summary: 'Cancel the deletion of your account',
        tags,
        description: 'Without one nothing is done, and the account is answered alike.',
        response: oneAccount,
      },
      async handler({ request, user, actor }) {
        await cancelDeletion(services, actor, user.id);
        return success(request, await presentAccount(services, user));
      },
    }),
  ];
}
