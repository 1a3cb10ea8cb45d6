import { Envelope, success } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { DemoData, PlatformDemoData } from './schemas.ts';
import { readDemoData, readPlatformDemoData, removeAllDemoData, removeDemoTenant } from './service.ts';

const tags = ['Demo data'] as const;

/** Routes to see whether a tenant is one of the demo, and to delete it then. */
export function demoDataRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'getDemoData',
      summary: 'Read whether the tenant has demo data',
      tags,
      response: { 200: Envelope(DemoData) },
      async handler({ request, tenant }) {
        return success(request, await readDemoData(services, tenant.id));
      },
    }),
    tenantRoute('DELETE', '', {
      operationId: 'removeDemoData',
      summary: 'Delete the demo tenant',
      tags,
      description:
        'Deletes the tenant with everything in it if the demo created it. Has no effect on any other tenant. ' +
        'It cannot be undone.',
      response: { 200: Envelope(DemoData) },
      async handler({ request, tenant, actor }) {
        await removeDemoTenant(services, actor, tenant.id);
        return success(request, await readDemoData(services, tenant.id));
      },
    }),
  ];
}

/** Routes with which admins see and remove all demo data of the installation. */
export function platformDemoDataRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/demo-data', {
      operationId: 'adminGetPlatformDemoData',
      summary: 'Read whether the installation has demo data',
      tags,
      response: { 200: Envelope(PlatformDemoData) },
      async handler({ request }) {
        return success(request, await readPlatformDemoData(services));
      },
    }),
    adminRoute('DELETE', '/demo-data', {
      area: 'admins',
      operationId: 'adminRemovePlatformDemoData',
      summary: 'Remove all demo data of the installation',
      tags,
      description: "Deletes the demo's tenants with everything in them. It cannot be undone.",
      response: { 200: Envelope(PlatformDemoData) },
      async handler({ request, actor }) {
        await removeAllDemoData(services, actor);
        return success(request, await readPlatformDemoData(services));
      },
    }),
  ];
}
