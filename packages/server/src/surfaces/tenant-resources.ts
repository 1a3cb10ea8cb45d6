import type { FastifyInstance, FastifySchema } from 'fastify';
import { accessTokenRoutes } from '../features/accounts/access-tokens/routes.ts';
import { readActorNames } from '../features/accounts/actor-names/service.ts';
import { apiKeyRoutes } from '../features/accounts/api-keys/routes.ts';
import { memberRoutes } from '../features/accounts/members/routes.ts';
import { closeTenantRoutes } from '../features/accounts/tenants/closing-routes.ts';
import { renameTenant } from '../features/accounts/tenants/service.ts';
import { copyToLiveRoute, testTenantRoutes } from '../features/accounts/test-tenants/routes.ts';
import { customerRoutes } from '../features/holders/customers/routes.ts';
import { holderMailRoutes, mailSettingsRoutes, mailTemplateRoutes } from '../features/holders/holder-mails/routes.ts';
import { portalLinkRoutes, portalSettingsRoutes } from '../features/holders/portal/settings-routes.ts';
import { allowTrialRoute, convertLicenseRoute } from '../features/holders/trials/routes.ts';
import { activationRoutes, vendorActivationRoute } from '../features/licensing/activations/routes.ts';
import { bulkOperationRoutes } from '../features/licensing/bulk-operations/routes.ts';
import { vendorCertificateRoutes } from '../features/licensing/certificates/routes.ts';
import { devToolsRoutes } from '../features/licensing/dev-tools/routes.ts';
import { licenseChecksRoute } from '../features/licensing/device-history/routes.ts';
import { vendorEntitlementCheckRoutes } from '../features/licensing/entitlement-checks/routes.ts';
import { entitlementRoutes } from '../features/licensing/entitlements/routes.ts';
import { licenseBatchRoutes } from '../features/licensing/license-batches/routes.ts';
import { nameAuditedLicenses } from '../features/licensing/licenses/names-service.ts';
import { licenseRoutes } from '../features/licensing/licenses/routes.ts';
import { policyRoutes } from '../features/licensing/policies/routes.ts';
import { productRoutes } from '../features/licensing/products/routes.ts';
import { usageRoutes } from '../features/licensing/usage/routes.ts';
import { vendorValidationRoutes } from '../features/licensing/validation/routes.ts';
import { demoDataRoutes } from '../features/operations/demo-data/routes.ts';
import { overviewRoutes } from '../features/operations/overview/routes.ts';
import { releaseRoutes } from '../features/releases/releases/routes.ts';
import { comparisonRoutes } from '../features/sales/comparison/routes.ts';
import { connectionRoutes } from '../features/sales/connections/routes.ts';
import { licenseSaleRoute, saleEventRoutes, saleRoutes } from '../features/sales/messages/routes.ts';
import { offerRoutes } from '../features/sales/offers/routes.ts';
import { testSaleRoute } from '../features/sales/offers/test-sale-routes.ts';
import { auditLogRoutes } from '../features/tenant-core/audit/routes.ts';
import { completeTenantAudit, recordTenantAudit } from '../features/tenant-core/audit-outbox/service.ts';
import { brandRoutes } from '../features/tenant-core/brand/routes.ts';
import { notificationRoutes } from '../features/tenant-core/notifications/routes.ts';
import { settingsRoutes } from '../features/tenant-core/settings/routes.ts';
import { webhookActionRoutes, webhookDeliveryRoutes } from '../features/webhooks/delivery/routes.ts';
import { webhookRoutes } from '../features/webhooks/endpoints/routes.ts';
import { adminOperationId } from '../http/operation-ids.ts';
import type { TenantArea } from '../http/routes/tenant-roles.ts';
import type { TenantRoute } from '../http/routes/tenant-route.ts';
import { registerRoute } from '../http/streamed-body.ts';
import type { Services } from '../services.ts';

/** A resource of a tenant, written once and registered at the tenant surface and the admin surface. */
export interface TenantResource {
  readonly prefix: `/${string}`;
  readonly routes: (services: Services) => TenantRoute[];
  /** The routes open to platform admins: everything, or the methods of each path of the resource. */
  readonly adminAccess: 'everything' | { readonly [url: string]: readonly string[] };
  /** The area of `tenant-roles.ts` whose rights decide which roles of the tenant may call the resource. */
  readonly area: TenantArea;
  /** The paths of the resource that belong to another area. */
  readonly areas?: { readonly [url: string]: TenantArea };
  /** Only people may use the resource, including for reads; access tokens may not. */
  readonly peopleOnly?: true;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly tenantArea?: TenantArea;
    readonly peopleOnly?: true;
  }
}

// tenant-core is below the features that own these functions, so its routes receive them as arguments.

const settingsOf = (services: Services) =>
  settingsRoutes(services, (actor, tenantId, name) => renameTenant(services, actor, tenantId, name));

const auditLogOf = (services: Services) =>
  auditLogRoutes(services, {
    completeAudit: (tenantId) => completeTenantAudit(services, tenantId),
    // The platform's staff is the platform's own affair: only other admins see their names.
    nameActors: (actors, tenantId, { type }) =>
      readActorNames(services.platform, actors, { tenantId, namesAdmins: type === 'admin' }),
    nameResources: nameAuditedLicenses,
    async recordExport(tenantId, actor, entry) {
      await services.platform.transaction((tx) => recordTenantAudit(tx, tenantId, actor, entry));
      await completeTenantAudit(services, tenantId);
    },
  });

/** THE list of the tenant resources, with the methods that platform admins have on each. */
export const tenantResources: readonly TenantResource[] = [
  {
    prefix: '/overview',
    area: 'administration',
    routes: overviewRoutes,
    adminAccess: { '': ['GET'], '/figures': ['GET'] },
  },
  {
    prefix: '/products',
    area: 'catalog',
    areas: { '/:id/allow-trial': 'licensing' },
    routes: (services) => [...productRoutes(services), allowTrialRoute(services), ...releaseRoutes(services)],
    adminAccess: {
      '': ['GET'],
      '/:id': ['GET'],
      '/:id/releases': ['GET'],
      '/:id/releases/:release_id': ['GET'],
      '/:id/releases/:release_id/downloads': ['GET'],
    },
  },
  {
    prefix: '/policies',
    area: 'catalog',
    routes: (services) => [...policyRoutes(services), copyToLiveRoute(services)],
    adminAccess: { '': ['GET'], '/:id': ['GET'] },
  },
  {
    prefix: '/licenses',
    area: 'licensing',
    areas: { '/export': 'administration' },
    routes: (services) => [
      ...licenseRoutes(services),
      convertLicenseRoute(services),
      ...vendorValidationRoutes(services),
      vendorActivationRoute(services),
      licenseChecksRoute(),
      ...vendorCertificateRoutes(services),
      ...vendorEntitlementCheckRoutes(services),
      ...portalLinkRoutes(services),
      licenseSaleRoute(),
    ],
    adminAccess: 'everything',
  },
  {
    prefix: '/connections',
    area: 'administration',
    routes: (services) => [
      ...connectionRoutes(services),
      ...offerRoutes(services),
      ...saleEventRoutes(services),
      ...saleRoutes(services),
      testSaleRoute(services),
      ...comparisonRoutes(services),
    ],
    adminAccess: 'everything',
  },
  {
    prefix: '/bulk-operations',
    area: 'licensing',
    areas: { '/:id/changes': 'administration' },
    routes: bulkOperationRoutes,
    adminAccess: 'everything',
  },
  {
    prefix: '/license-batches',
    area: 'licensing',
    areas: { '/:id/keys': 'administration' },
    routes: licenseBatchRoutes,
    adminAccess: 'everything',
  },
  { prefix: '/customers', area: 'licensing', routes: customerRoutes, adminAccess: 'everything' },
  { prefix: '/activations', area: 'licensing', routes: activationRoutes, adminAccess: { '': ['GET'] } },
  { prefix: '/entitlements', area: 'catalog', routes: entitlementRoutes, adminAccess: { '': ['GET'] } },
  { prefix: '/usage', area: 'licensing', routes: usageRoutes, adminAccess: { '': ['GET'], '/series': ['GET'] } },
  {
    prefix: '/api-keys',
    area: 'administration',
    routes: apiKeyRoutes,
    adminAccess: { '': ['GET', 'POST'], '/:id': ['PUT', 'DELETE'], '/:id/rotate': ['POST'] },
  },
  {
    prefix: '/access-tokens',
    area: 'administration',
    routes: accessTokenRoutes,
    adminAccess: { '': ['GET'], '/:id': ['DELETE'] },
    peopleOnly: true,
  },
  { prefix: '/settings', area: 'catalog', routes: settingsOf, adminAccess: 'everything' },
  { prefix: '/brand', area: 'administration', routes: brandRoutes, adminAccess: 'everything' },
  { prefix: '/portal', area: 'administration', routes: portalSettingsRoutes, adminAccess: 'everything' },
  { prefix: '/mails', area: 'licensing', routes: holderMailRoutes, adminAccess: 'everything' },
  { prefix: '/mail-settings', area: 'administration', routes: mailSettingsRoutes, adminAccess: { '': ['GET', 'PUT'] } },
  {
    prefix: '/mail-templates',
    area: 'administration',
    routes: mailTemplateRoutes,
    adminAccess: { '': ['GET'], '/:type': ['GET'] },
  },
  {
    prefix: '/notifications',
    area: 'administration',
    routes: notificationRoutes,
    adminAccess: { '': ['GET', 'POST'] },
  },
  // To delete the demo tenant is to delete a tenant.
  { prefix: '/demo-data', area: 'ownership', routes: demoDataRoutes, adminAccess: 'everything', peopleOnly: true },
  // Admins change the status of the tenant instead.
  { prefix: '/close', area: 'ownership', routes: closeTenantRoutes, adminAccess: {}, peopleOnly: true },
  {
    prefix: '/test-tenant',
    area: 'ownership',
    routes: testTenantRoutes,
    adminAccess: 'everything',
    peopleOnly: true,
  },
  { prefix: '/dev-tools', area: 'administration', routes: devToolsRoutes, adminAccess: { '/snapshot': ['GET'] } },
  { prefix: '/members', area: 'ownership', routes: memberRoutes, adminAccess: { '': ['GET'] }, peopleOnly: true },
  {
    prefix: '/webhooks',
    area: 'administration',
    routes: (services) => [...webhookRoutes(services), ...webhookActionRoutes(services)],
    adminAccess: 'everything',
  },
  {
    prefix: '/webhook-deliveries',
    area: 'administration',
    routes: webhookDeliveryRoutes,
    adminAccess: { '': ['GET'], '/:id': ['GET'] },
  },
  {
    prefix: '/audit-logs',
    area: 'administration',
    routes: auditLogOf,
    adminAccess: { '': ['GET'], '/export': ['GET'] },
  },
];

type Surface = 'tenant' | 'admin';

function isOpen(resource: TenantResource, route: TenantRoute, surface: Surface): boolean {
  if (surface === 'tenant' || resource.adminAccess === 'everything') return true;
  return resource.adminAccess[route.url]?.includes(String(route.method)) ?? false;
}

/** Returns the area whose rights decide about a route of a resource. */
function areaOf({ area, areas }: TenantResource, { url }: TenantRoute): TenantArea {
  return areas?.[url] ?? area;
}

function schemaAt(surface: Surface, { schema }: TenantRoute): FastifySchema {
  const { operationId = '' } = schema ?? {};
  return surface === 'tenant' ? { ...schema } : { ...schema, operationId: adminOperationId(operationId) };
}

/** Registers every tenant resource at one surface, whose hooks resolve the tenant before a handler runs. */
export function registerTenantResources(app: FastifyInstance, services: Services, surface: Surface): void {
  for (const resource of tenantResources) {
    app.register(
      (scope, _options, done) => {
        const { peopleOnly } = resource;
        for (const route of resource.routes(services).filter((candidate) => isOpen(resource, candidate, surface))) {
          const tenantArea = areaOf(resource, route);
          const config = { ...route.config, tenantArea, ...(peopleOnly && { peopleOnly }) };
          registerRoute(scope, { ...route, schema: schemaAt(surface, route), config });
        }
        done();
      },
      { prefix: resource.prefix },
    );
  }
}
