import { Envelope, success } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { readDemoData, readPlatformDemoData, removeAllDemoData, removeDemoData } from './removal-service.ts';
import { DemoData, PlatformDemoData } from './schemas.ts';

const tags = ['Demo data'] as const;

/** Routes to see and remove a tenant's demo data. */
export function demoDataRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '',
      schema: {
        operationId: 'getDemoData',
        summary: 'Read whether the tenant has demo data',
        tags,
        response: { 200: Envelope(DemoData) },
      },
      async handler({ request, tenant }) {
        return success(request, await readDemoData(services, tenant.id));
      },
    }),
    tenantRoute({
      method: 'DELETE',
      url: '',
      schema: {
        operationId: 'removeDemoData',
        summary: 'Remove the demo data',
        tags,
        description:
          'Removes what the demo created, and keeps what users created with the policies and products that it needs. ' +
          'It cannot be undone. Repeating it has no effect.',
        response: { 200: Envelope(DemoData) },
      },
      async handler({ request, tenant, actor }) {
        await removeDemoData(services, actor, tenant);
        return success(request, await readDemoData(services, tenant.id));
      },
    }),
  ];
}

/** Routes with which admins see and remove all demo data of the installation. */
export function platformDemoDataRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/demo-data',
      schema: {
        operationId: 'adminGetPlatformDemoData',
        summary: 'Read whether the installation has demo data',
        tags,
        response: { 200: Envelope(PlatformDemoData) },
      },
      async handler({ request }) {
        return success(request, await readPlatformDemoData(services));
      },
    }),
    adminRoute({
      method: 'DELETE',
      url: '/demo-data',
      roles: ['super_admin'],
      schema: {
        operationId: 'adminRemovePlatformDemoData',
        summary: 'Remove all demo data of the installation',
        tags,
        description:
          "Deletes the demo's tenants with everything in them, and the demo data of other tenants. It cannot be undone.",
        response: { 200: Envelope(PlatformDemoData) },
      },
      async handler({ request, actor }) {
        await removeAllDemoData(services, actor);
        return success(request, await readPlatformDemoData(services));
      },
    }),
  ];
}
