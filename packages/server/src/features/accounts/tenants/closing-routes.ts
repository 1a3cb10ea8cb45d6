import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { strictObject, Uuid } from '../../../http/schema.ts';
import { validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { updateTenant } from './service.ts';

const CloseTenant = strictObject(
  {
    name: Type.String({
      maxLength: 100,
      description: 'The name of the tenant, so that nobody closes the wrong one.',
      examples: ['Acme'],
    }),
  },
  { title: 'CloseTenant', description: 'The tenant that is closed.', examples: [{ name: 'Acme' }] },
);

const ClosedTenant = Type.Object(
  { id: Uuid, status: Type.Literal('closed') },
  {
    title: 'ClosedTenant',
    description: 'A tenant that was closed.',
    examples: [{ id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f', status: 'closed' }],
  },
);

/** The route by which an owner closes the tenant. Admins of the platform change its status instead. */
export function closeTenantRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '', {
      operationId: 'closeTenant',
      summary: 'Close the tenant',
      tags: ['Settings'],
      errors: ['TENANT.TRANSITION_INVALID'],
      description:
        'Cancels the subscription, closes the test copy, and refuses every further request: applications get no ' +
        'verdicts any more. It cannot be undone. The data stay readable to the operator for 30 days.',
      body: CloseTenant,
      response: { 200: Envelope(ClosedTenant) },
      async handler({ request, tenant, actor }) {
        if (request.body.name.trim() !== tenant.name) {
          throw validationError({ field: 'name', message: 'Enter the name of the tenant exactly as it is shown.' });
        }
        await updateTenant(services, actor, tenant.id, { status: 'closed' });
        return success(request, { id: tenant.id, status: 'closed' as const });
      },
    }),
  ];
}
