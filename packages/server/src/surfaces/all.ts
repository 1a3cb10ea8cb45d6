import type { FastifyInstance } from 'fastify';
import type { TenantDb } from '../db/database.ts';
import { reachPortal } from '../features/holders/portal/settings-service.ts';
import { ofrepFailure } from '../features/operations/feature-flags/ofrep-schemas.ts';
import { readSettings } from '../features/tenant-core/settings/service.ts';
import { openApplication, registerApplication, unknownPageOf } from '../http/built-application.ts';
import { connectionsFor, readOpenFilesLimit } from '../http/connection-limit.ts';
import { allowOrigins } from '../http/cross-origin.ts';
import { registerGuides } from '../http/guides.ts';
import { openApiRoute } from '../http/openapi-route.ts';
import { createHttpServer } from '../http/server.ts';
import { metricsRoute } from '../metrics/metrics-route.ts';
import type { Services } from '../services.ts';
import { adminSurface } from './admin.ts';
import { integrationSurface } from './integration.ts';
import { ofrepSurface } from './ofrep.ts';
import { portalSurface } from './portal.ts';
import { leadDomainsToPortals } from './portal-domains.ts';
import { publicSurface } from './public.ts';
import { billingSurface, tenantSurface } from './tenant.ts';
import { userSurface } from './user.ts';
import { webhookSurface } from './webhooks.ts';

/** Only programs and the guides use paths with these first segments: unknown ones get the error envelope, also in browsers. */
const segmentsWithoutPages: ReadonlySet<string> = new Set([
  'api',
  'ofrep',
  'webhooks',
  'docs',
  'health',
  'metrics',
  'openapi.json',
  'openapi-integration.json',
  'sandbox',
  'assets',
  'portal-assets',
  'portal-domains',
]);

/** Creates the HTTP server with every surface. It does not listen yet. `beforeRoutes` is called before the first route. */
export async function registerSurfaces(
  services: Services,
  beforeRoutes?: (http: FastifyInstance) => Promise<void>,
): Promise<FastifyInstance> {
  const { config, logger, metrics, tracing } = services;
  await services.servedDomains.reload();
  const dashboard = openApplication('dashboard', logger);
  const portal = openApplication('portal', logger);
  const http = createHttpServer({
    logger,
    metrics,
    tracing,
    trustProxy: config.trustProxy.length === 0 ? false : [...config.trustProxy],
    logsAddresses: config.logsAddresses,
    https: config.publicUrl.startsWith('https:'),
    connectionsMax: connectionsFor(readOpenFilesLimit(), config.tenantPoolSize),
    failureFormat: ofrepFailure,
    rewriteUrl: leadDomainsToPortals(services),
    unknownPage: dashboard === null ? undefined : unknownPageOf(dashboard, segmentsWithoutPages),
  });
  http.decorate('readTimezone', async (db: TenantDb) => (await readSettings(db)).timezone);
  await allowOrigins(http, config.corsOrigins);
  await beforeRoutes?.(http);
  openApiRoute(http, config.publicUrl);
  await registerGuides(http, { publicUrl: config.publicUrl });
  if (dashboard !== null) await registerApplication(http, dashboard);
  if (portal !== null) {
    await registerApplication(http, portal, {
      exists: async ({ params, headers }) =>
        (await reachPortal(services, (params as { handle: string }).handle, headers.host)) !== undefined,
      // The page with sample data that the dashboard shows beside the settings of the portal.
      framedUrl: '/portal/_preview',
    });
  }
  http.register(publicSurface(services));
  http.register(webhookSurface(services));
  http.register(userSurface(services), { prefix: '/api/v1' });
  http.register(tenantSurface(services), { prefix: '/api/v1/tenant' });
  http.register(billingSurface(services), { prefix: '/api/v1/billing' });
  http.register(adminSurface(services), { prefix: '/api/v1/admin' });
  http.register(integrationSurface(services), { prefix: '/api/v1/integration' });
  http.register(portalSurface(services), { prefix: '/api/v1/portal/:handle' });
  http.register(ofrepSurface(services), { prefix: '/ofrep/v1/evaluate/flags' });
  await http.ready();
  return http;
}

/** Creates the server of `METRICS_PORT`, which has only `/metrics`; null without that port. */
export async function createMetricsServer({ config, logger, metrics }: Services): Promise<FastifyInstance | null> {
  if (config.metricsPort === null) return null;
  const http = createHttpServer({ logger, metrics, trustProxy: false, https: false });
  metricsRoute(http, metrics, config);
  await http.ready();
  return http;
}
