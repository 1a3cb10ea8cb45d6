import type { FastifyInstance, FastifySchema } from 'fastify';
import { accessTokenRoutes } from '../features/accounts/access-tokens/routes.ts';
import { readActorNames } from '../features/accounts/actor-names/service.ts';
import { apiKeyRoutes } from '../features/accounts/api-keys/routes.ts';
import { memberRoutes } from '../features/accounts/members/routes.ts';
import { closeTenantRoutes } from '../features/accounts/tenants/closing-routes.ts';
import { renameTenant } from '../features/accounts/tenants/service.ts';
import { copyToLiveRoute, testTenantRoutes } from '../features/accounts/test-tenants/routes.ts';
import { customerRoutes } from '../features/holders/customers/routes.ts';
import { holderMailRoutes, mailSettingsRoutes, mailTemplateRoutes } from '../features/holders/mails/routes.ts';
import { portalLinkRoutes, portalSettingsRoutes } from '../features/holders/portal/settings-routes.ts';
import { convertLicenseRoute } from '../features/holders/trials/routes.ts';
import { activationRoutes, vendorActivationRoute } from '../features/licensing/activations/routes.ts';
import { bulkOperationRoutes } from '../features/licensing/bulk-operations/routes.ts';
import { vendorCertificateRoutes } from '../features/licensing/certificates/routes.ts';
import { licenseChecksRoute } from '../features/licensing/checks/routes.ts';
import { devToolsRoutes } from '../features/licensing/dev-tools/routes.ts';
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
import type { TenantRoute } from '../http/routes/tenant-route.ts';
import { registerRoute } from '../http/streamed-body.ts';
import type { Services } from '../services.ts';

/** A resource of a tenant, written once and registered at the tenant surface and the admin surface. */
export interface TenantResource {
  readonly prefix: `/${string}`;
  readonly routes: (services: Services) => TenantRoute[];
  /** The routes open to platform admins: everything, or the methods of each path of the resource. */
  readonly adminAccess: 'everything' | { readonly [url: string]: readonly string[] };
  /** The lowest role of the tenant that may write; `admin` if absent. Every role may read. */
  readonly writeRole?: 'owner';
  /** Only people may use the resource, including for reads; access tokens may not. */
  readonly peopleOnly?: true;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly writeRole?: TenantResource['writeRole'];
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
  { prefix: '/overview', routes: overviewRoutes, adminAccess: { '': ['GET'] } },
  { prefix: '/products', routes: productRoutes, adminAccess: { '': ['GET'], '/:id': ['GET'] } },
  {
    prefix: '/policies',
    routes: (services) => [...policyRoutes(services), copyToLiveRoute(services)],
    adminAccess: { '': ['GET'], '/:id': ['GET'] },
  },
  {
    prefix: '/licenses',
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
  { prefix: '/bulk-operations', routes: bulkOperationRoutes, adminAccess: 'everything' },
  { prefix: '/license-batches', routes: licenseBatchRoutes, adminAccess: 'everything' },
  { prefix: '/customers', routes: customerRoutes, adminAccess: 'everything' },
  { prefix: '/activations', routes: activationRoutes, adminAccess: { '': ['GET'] } },
  { prefix: '/entitlements', routes: entitlementRoutes, adminAccess: { '': ['GET'] } },
  { prefix: '/usage', routes: usageRoutes, adminAccess: { '': ['GET'], '/series': ['GET'] } },
  { prefix: '/api-keys', routes: apiKeyRoutes, adminAccess: { '': ['GET', 'POST'], '/:id': ['PUT', 'DELETE'] } },
  {
    prefix: '/access-tokens',
    routes: accessTokenRoutes,
    adminAccess: { '': ['GET'], '/:id': ['DELETE'] },
    peopleOnly: true,
  },
  { prefix: '/settings', routes: settingsOf, adminAccess: 'everything' },
  { prefix: '/brand', routes: brandRoutes, adminAccess: 'everything' },
  { prefix: '/portal', routes: portalSettingsRoutes, adminAccess: 'everything' },
  { prefix: '/mails', routes: holderMailRoutes, adminAccess: 'everything' },
  { prefix: '/mail-settings', routes: mailSettingsRoutes, adminAccess: { '': ['GET', 'PUT'] } },
  { prefix: '/mail-templates', routes: mailTemplateRoutes, adminAccess: { '': ['GET'], '/:type': ['GET'] } },
  { prefix: '/notifications', routes: notificationRoutes, adminAccess: { '': ['GET', 'POST'] } },
  // To delete the demo tenant is to delete a tenant.
  { prefix: '/demo-data', routes: demoDataRoutes, adminAccess: 'everything', writeRole: 'owner', peopleOnly: true },
  // Admins change the status of the tenant instead.
  { prefix: '/close', routes: closeTenantRoutes, adminAccess: {}, writeRole: 'owner', peopleOnly: true },
  {
    prefix: '/test-tenant',
    routes: testTenantRoutes,
    adminAccess: 'everything',
    writeRole: 'owner',
    peopleOnly: true,
  },
  { prefix: '/dev-tools', routes: devToolsRoutes, adminAccess: { '/snapshot': ['GET'] } },
  { prefix: '/members', routes: memberRoutes, adminAccess: { '': ['GET'] }, writeRole: 'owner', peopleOnly: true },
  {
    prefix: '/webhooks',
    routes: (services) => [...webhookRoutes(services), ...webhookActionRoutes(services)],
    adminAccess: 'everything',
  },
  { prefix: '/webhook-deliveries', routes: webhookDeliveryRoutes, adminAccess: { '': ['GET'], '/:id': ['GET'] } },
  { prefix: '/audit-logs', routes: auditLogOf, adminAccess: { '': ['GET'], '/export': ['GET'] } },
];

type Surface = 'tenant' | 'admin';

function isOpen(resource: TenantResource, route: TenantRoute, surface: Surface): boolean {
  if (surface === 'tenant' || resource.adminAccess === 'everything') return true;
  return resource.adminAccess[route.url]?.includes(String(route.method)) ?? false;
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
        const { writeRole, peopleOnly } = resource;
        const config = { ...(writeRole && { writeRole }), ...(peopleOnly && { peopleOnly }) };
        for (const route of resource.routes(services).filter((candidate) => isOpen(resource, candidate, surface))) {
          registerRoute(scope, { ...route, schema: schemaAt(surface, route), config: { ...route.config, ...config } });
        }
        done();
      },
      { prefix: resource.prefix },
    );
  }
}
