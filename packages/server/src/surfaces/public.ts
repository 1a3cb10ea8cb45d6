import { statfs } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { dataDisk } from '../db/errors.ts';
import { emailLinkRoutes } from '../features/accounts/account/email-change-routes.ts';
import { identityRoutes, registrationRoutes } from '../features/accounts/identity/routes.ts';
import { twoFactorLinkRoutes, twoFactorRoutes } from '../features/accounts/identity/two-factor-routes.ts';
import { invitationRoutes } from '../features/accounts/invitations/routes.ts';
import { acceptOneClick, marketingPages, marketingRoutes } from '../features/accounts/marketing/routes.ts';
import { singleSignOnRoutes } from '../features/accounts/single-sign-on/routes.ts';
import { onboardingRedirects } from '../features/commerce/onboarding/redirects.ts';
import { publicPlanRoutes } from '../features/commerce/plans/routes.ts';
import { signingKeyRoutes } from '../features/licensing/signing-keys/routes.ts';
import { allowAnyOrigin } from '../http/cross-origin.ts';
import { healthRoutes } from '../http/health.ts';
import { sharedPageFiles } from '../http/hosted-page.ts';
import { mailPreviewRoute } from '../http/mail-preview.ts';
import { startOnePerTurn } from '../http/paced-requests.ts';
import { isStopping } from '../http/server.ts';
import { refuseUnknownFields } from '../http/strict-requests.ts';
import { metricsRoute } from '../metrics/metrics-route.ts';
import { sandboxPageRoutes } from '../payments/sandbox/page/routes.ts';
import type { Services } from '../services.ts';
import { domainQuestionRoute } from './portal-domains.ts';

const leastFreeBytes = 1024 * 1024;

/** Returns true if the disk of the embedded databases has refused writes, or is about to. */
async function isDiskFailing({ config, outages, platform }: Services): Promise<boolean> {
  if (platform.engine !== 'sqlite') return false;
  if (outages.isDown(dataDisk)) return true;
  const { bavail, bsize } = await statfs(config.dataDir);
  return bavail * bsize < leastFreeBytes;
}

/** Registers the surface without authentication; a route that needs a token checks it itself. */
export function publicSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    healthRoutes(app, {
      checkDatabase: () => sql`select 1`.execute(services.platform.query),
      isDiskFailing: () => isDiskFailing(services),
      isStopping: () => isStopping(app),
    });
    // With a port of their own, the metrics are not on this one.
    if (services.config.metricsPort === null) metricsRoute(app, services.metrics, services.config);
    app.register(publicRoutes(services));
    done();
  };
}

/** Anyone may send requests to these routes, and many may do so at once. They must not delay the other surfaces. */
function publicRoutes(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    app.addHook('onRequest', startOnePerTurn());
    const pages = [
      ...sharedPageFiles(),
      mailPreviewRoute(),
      ...marketingPages(),
      ...onboardingRedirects(services.config),
      ...(services.sandbox === null ? [] : sandboxPageRoutes(services.sandbox.context)),
    ];
    for (const route of pages) app.route(route);
    refuseUnknownFields(app);
    const routes = [
      ...identityRoutes(services),
      ...registrationRoutes(services),
      ...emailLinkRoutes(services),
      ...twoFactorRoutes(services),
      ...twoFactorLinkRoutes(services),
      ...singleSignOnRoutes(services),
      ...invitationRoutes(services),
      ...publicPlanRoutes(services),
      domainQuestionRoute(services),
    ];
    for (const route of routes) app.route(route);
    app.register((keys, _keysOptions, registered) => {
      allowAnyOrigin(keys);
      for (const route of signingKeyRoutes(services)) keys.route(route);
      registered();
    });
    app.register((marketing, _marketingOptions, registered) => {
      acceptOneClick(marketing);
      for (const route of marketingRoutes(services)) marketing.route(route);
      registered();
    });
    done();
  };
}
