import { success } from '../../../http/envelope.ts';
import type { RouteSchema } from '../../../http/routes/tenant-route.ts';
import { type UserContext, type UserRoute, type UserRouteOptions, userRoute } from '../../../http/routes/user-route.ts';
import { newId } from '../../../lib/ids.ts';
import type { CreationResponse } from './attempts.ts';
import { idempotencyKeyOf, routeOf } from './creating-route.ts';
import { createOnceForUser, type UserIdempotencyServices } from './user-service.ts';

interface UserCreatingRouteOptions<Schema extends RouteSchema>
  extends Omit<UserRouteOptions<Schema>, 'method' | 'idempotent' | 'handler'> {
  /**
   * Creates the resource with the given id, or continues the creation of that resource, and returns the status and
   * `data` of the response, which must contain no secret.
   */
  readonly create: (context: UserContext<Schema>, id: string) => Promise<CreationResponse>;
}

/** Defines a `POST` route with which a user creates a resource outside of tenants, once per `Idempotency-Key`. */
export function userCreatingRoute<const Schema extends RouteSchema>(
  services: UserIdempotencyServices,
  { create, ...rest }: UserCreatingRouteOptions<Schema>,
): UserRoute {
  return userRoute<Schema>({
    ...rest,
    method: 'POST',
    idempotent: true,
    async handler(context) {
      const { request, reply, user } = context;
      const key = idempotencyKeyOf(request);
      if (key === undefined) {
        const { status, data } = await create(context, newId());
        reply.status(status);
        return success(request, data);
      }
      const named = { route: routeOf(request), key, input: { params: request.params, body: request.body } };
      const { status, data, replayed } = await createOnceForUser(services, user.id, named, (id) => create(context, id));
      reply.status(status);
      if (replayed) reply.header('idempotency-replayed', 'true');
      return success(request, data);
    },
  });
}
