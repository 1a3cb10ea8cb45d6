import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { ClockServices } from '../../../services.ts';
import { Brand, UpdateBrand } from './schemas.ts';
import { presentBrand, readBrand, updateBrand } from './service.ts';

const tags = ['Portal settings'] as const;

/** Routes to read and change how a tenant presents itself to the holders of its licenses. */
export function brandRoutes(services: ClockServices): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'getBrand',
      summary: 'Read the brand',
      tags,
      response: { 200: Envelope(Brand) },
      async handler({ request, tenant }) {
        return success(request, presentBrand(await readBrand(tenant.db)));
      },
    }),
    tenantRoute('PUT', '', {
      operationId: 'updateBrand',
      summary: 'Change the brand',
      tags,
      description: 'Name, logo and color of mails to holders and of the portal.',
      body: UpdateBrand,
      response: { 200: Envelope(Brand) },
      async handler({ request, tenant, actor }) {
        return success(request, presentBrand(await updateBrand(services, tenant, actor, request.body)));
      },
    }),
  ];
}
