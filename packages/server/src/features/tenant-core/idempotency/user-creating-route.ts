import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import {
  type AdminContext,
  type AdminRoute,
  type AdminRouteOptions,
  adminRoute,
} from '../../../http/routes/admin-route.ts';
import type { RequestSchemas, RouteSchema, Streamed } from '../../../http/routes/tenant-route.ts';
import { type UserContext, type UserRoute, type UserRouteOptions, userRoute } from '../../../http/routes/user-route.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { CreationResponse } from './attempts.ts';
import { idempotencyKeyOf, routeOf, sendOutcome } from './creating-route.ts';
import { createOnceForPerson, type FailureOptions, type PersonCreation } from './user-service.ts';

interface UserCreatingRouteOptions<Schemas extends RequestSchemas> extends Omit<UserRouteOptions, 'idempotent'> {
  /**
   * Creates the resource with the given id, or continues the creation of that resource, and returns the status and
   * `data` of the response, which must contain no secret.
   */
  readonly create: (context: UserContext<Schemas>, id: string) => Promise<CreationResponse>;
}

/** Defines a `POST` route with which a user creates a resource outside of tenants, once per `Idempotency-Key`. */
export function userCreatingRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
>(
  services: Services,
  url: string,
  declaration: RouteSchema<RequestSchemas<Params, Query, Body>> &
    UserCreatingRouteOptions<RequestSchemas<Params, Query, Body>>,
): UserRoute {
  const { create, ...rest } = declaration;
  return userRoute<Params, Query, Body>('POST', url, {
    ...rest,
    idempotent: true,
    handler: (context) => answerPersonOnce(services, context, context.user.id, (id) => create(context, id)),
  });
}

/**
 * Runs a creation of a user or an admin, at most once if the request has an idempotency key. Sets the status of the
 * reply and returns its envelope. Throws the errors of `createOnceForPerson`.
 */
async function answerPersonOnce(
  services: Services,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  personId: string,
  create: PersonCreation,
  options: FailureOptions = {},
) {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return sendOutcome(request, reply, await create(newId()));
  const named = { route: routeOf(request), key, input: { params: request.params, body: request.body } };
  return sendOutcome(request, reply, await createOnceForPerson(services, personId, named, create, options));
}

interface AdminCreatingRouteOptions<Schemas extends RequestSchemas> extends Omit<AdminRouteOptions, 'idempotent'> {
  /**
   * Creates the resource with the given id, or continues the creation of that resource, and returns the status and
   * `data` of the response, which must contain no secret.
   */
  readonly create: (context: AdminContext<Schemas>, id: string) => Promise<CreationResponse>;
}

/** Defines a `POST` route with which an admin creates a resource of the platform, once per `Idempotency-Key`. */
export function adminCreatingRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
>(
  services: Services,
  url: string,
  declaration: RouteSchema<RequestSchemas<Params, Query, Body>> &
    AdminCreatingRouteOptions<RequestSchemas<Params, Query, Body>>,
): AdminRoute {
  const { create, ...rest } = declaration;
  return adminRoute<Params, Query, Body>('POST', url, {
    ...rest,
    idempotent: true,
    handler: (context) => {
      // A refund or an invoice exists at the provider, or it does not: the next attempt continues with the same id.
      const options = { continuesAfterFailure: true };
      return answerPersonOnce(services, context, context.admin.id, (id) => create(context, id), options);
    },
  });
}
