import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams, strictObject } from '../../../http/schema.ts';
import { applyThrottle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { verifyDomain } from './domain-service.ts';
import { createPortalLink } from './link-service.ts';
import { PortalLink, PortalSettings, UpdatePortalSettings } from './settings-schemas.ts';
import { readPortalSettings, updatePortalSettings } from './settings-service.ts';

const tags = ['Portal settings'] as const;

/** Routes to read and change the settings of a tenant's portal. */
export function portalSettingsRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'getPortalSettings',
      summary: 'Read the settings of the portal',
      tags,
      response: { 200: Envelope(PortalSettings) },
      async handler({ request, tenant }) {
        return success(request, await readPortalSettings(services, tenant));
      },
    }),
    tenantRoute('PUT', '', {
      operationId: 'updatePortalSettings',
      summary: 'Change the settings of the portal',
      tags,
      errors: ['PORTAL.HANDLE_TAKEN', 'PORTAL.DOMAIN_TAKEN'],
      description: 'A new handle ends the links that were sent with the former one. Sessions continue.',
      body: UpdatePortalSettings,
      response: { 200: Envelope(PortalSettings) },
      async handler({ request, tenant, actor }) {
        return success(request, await updatePortalSettings(services, tenant, actor, request.body));
      },
    }),
    tenantRoute('POST', '/domain/verify', {
      operationId: 'verifyPortalDomain',
      summary: 'Check the DNS record of the domain of the portal',
      tags,
      errors: ['PORTAL.DOMAIN_NOT_PROVED', 'PORTAL.DOMAIN_TAKEN', 'RATE_LIMIT.EXCEEDED'],
      body: strictObject({}),
      response: { 200: Envelope(PortalSettings) },
      async handler({ request, reply, tenant, actor }) {
        const window = await services.rateLimits.consume('portal-domain', tenant.id, { limit: 60, windowSeconds: 60 });
        if (!window.allowed) applyThrottle(reply, window);
        await verifyDomain(services, tenant, actor);
        return success(request, await readPortalSettings(services, tenant));
      },
    }),
  ];
}

/** The route by which the vendor creates a link for the holder of a license, for support. */
export function portalLinkRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/:id/portal-link', {
      operationId: 'createPortalLink',
      summary: 'Create a link to the portal for the holder of a license',
      tags: ['Licenses'],
      errors: ['LICENSE.NOT_FOUND', 'LICENSE.HOLDER_EMAIL_MISSING', 'PORTAL.SWITCHED_OFF'],
      description:
        'The link works once and for an hour, and whoever opens it sees every license with the same email address of ' +
        'the holder: send it to nobody else. Only this response contains it.',
      params: IdParams,
      body: strictObject({}),
      response: { 201: Envelope(PortalLink) },
      async handler({ request, reply, tenant, actor }) {
        const link = await createPortalLink(services, tenant, actor, request.params.id);
        reply.status(201).header('cache-control', 'no-store');
        return success(request, link);
      },
    }),
  ];
}
