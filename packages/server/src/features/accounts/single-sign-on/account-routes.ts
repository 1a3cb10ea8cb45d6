import { DeletedEnvelope, PageEnvelope, successDeleted, successPage } from '../../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { listIdentities, unlinkIdentity } from './identities-service.ts';
import { Identity } from './schemas.ts';

const tags = ['Account'] as const;

/** Registers the routes with which users list and unlink their identities at the provider of single sign-on. */
export function identityLinkRoutes(services: Services): UserRoute[] {
  return [
    userRoute({
      method: 'GET',
      url: '/account/identities',
      schema: {
        operationId: 'listAccountIdentities',
        summary: 'List the identities with which you can log in',
        tags,
        description: 'At most one for each provider of single sign-on that the service has had.',
        response: { 200: PageEnvelope(Identity) },
      },
      async handler({ request, user }) {
        return successPage(request, { rows: await listIdentities(services, user.id), nextCursor: null });
      },
    }),
    userRoute({
      method: 'DELETE',
      url: '/account/identities/:id',
      schema: {
        operationId: 'unlinkAccountIdentity',
        summary: 'Unlink an identity',
        tags,
        errors: ['ACCOUNT.NO_PASSWORD'],
        description: 'Needs a password. A later login with the same verified address links the identity again.',
        params: IdParams,
        response: { 200: DeletedEnvelope },
      },
      async handler({ request, user, actor }) {
        await unlinkIdentity(services, actor, user.id, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
