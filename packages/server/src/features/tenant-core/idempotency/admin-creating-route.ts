import {
  type AdminContext,
  type AdminRoute,
  type AdminRouteOptions,
  adminRoute,
} from '../../../http/routes/admin-route.ts';
import type { RouteSchema } from '../../../http/routes/tenant-route.ts';
import type { CreationResponse } from './attempts.ts';
import { answerPersonOnce } from './user-creating-route.ts';
import type { PersonIdempotencyServices } from './user-service.ts';

interface AdminCreatingRouteOptions<Schema extends RouteSchema>
  extends Omit<AdminRouteOptions<Schema>, 'method' | 'idempotent' | 'handler'> {
  /**
   * Creates the resource with the given id, or continues the creation of that resource, and returns the status and
   * `data` of the response, which must contain no secret.
   */
  readonly create: (context: AdminContext<Schema>, id: string) => Promise<CreationResponse>;
}

/** Defines a `POST` route with which an admin creates a resource of the platform, once per `Idempotency-Key`. */
export function adminCreatingRoute<const Schema extends RouteSchema>(
  services: PersonIdempotencyServices,
  { create, ...rest }: AdminCreatingRouteOptions<Schema>,
): AdminRoute {
  return adminRoute<Schema>({
    ...rest,
    method: 'POST',
    idempotent: true,
    handler: (context) => {
      // A refund or an invoice exists at the provider, or it does not: the next attempt continues with the same id.
      const options = { continuesAfterFailure: true };
      return answerPersonOnce(services, context, context.admin.id, (id) => create(context, id), options);
    },
  });
}
