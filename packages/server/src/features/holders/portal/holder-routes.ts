import { deleteRows } from '../../../db/rows.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type HolderContext, holderRoute, type PortalRoute } from '../../../http/routes/holder-route.ts';
import type { RequestSchemas } from '../../../http/routes/tenant-route.ts';
import { NoFields } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { activateOffline, listDevices, readKey, releaseDevice, replaceKey } from './actions-service.ts';
import { listPortalLicenses, readPortalLicense } from './licenses-service.ts';
import { holderReleaseRoutes } from './release-routes.ts';
import {
  ActivateOffline,
  OfflineActivation,
  PortalDevice,
  PortalDeviceParams,
  PortalLicense,
  PortalLicenseKey,
  PortalLicenseParams,
  PortalLoggedOut,
  PortalPageQuery,
  PortalParams,
  PortalRelease,
  PortalSession,
} from './schemas.ts';

const tags = ['Portal'] as const;

/** The routes of the portal for a holder who is logged in. */
export function holderRoutes(services: Services): PortalRoute[] {
  return [...sessionRoutes(), ...licenseRoutes(services), ...changeRoutes(services), ...holderReleaseRoutes(services)];
}

function sessionRoutes(): PortalRoute[] {
  return [
    holderRoute('GET', '/session', {
      operationId: 'getPortalSession',
      summary: 'Read who is logged in to a portal',
      tags,
      params: PortalParams,
      response: { 200: Envelope(PortalSession) },
      handler({ request, holder }) {
        return success(request, { email: holder.email, expires_at: holder.expiresAt });
      },
    }),
    holderRoute('POST', '/logout', {
      operationId: 'logOutOfPortal',
      summary: 'Log out of a portal',
      tags,
      params: PortalParams,
      body: NoFields,
      response: { 200: Envelope(PortalLoggedOut) },
      async handler({ request, tenant, holder }) {
        await deleteRows(tenant.db.query, 'portal_sessions', holder.sessionId);
        return success(request, { logged_out: true } as const);
      },
    }),
  ];
}

function licenseRoutes(services: Services): PortalRoute[] {
  const { clock } = services;
  return [
    holderRoute('GET', '/licenses', {
      operationId: 'listPortalLicenses',
      summary: 'List the licenses of the holder',
      tags,
      params: PortalParams,
      querystring: PortalPageQuery,
      response: { 200: PageEnvelope(PortalLicense) },
      async handler({ request, tenant, holder }) {
        const page = await listPortalLicenses(tenant.db, holder.email, request.query, clock.now());
        return successPage(request, page);
      },
    }),
    holderRoute('GET', '/licenses/:id', {
      operationId: 'getPortalLicense',
      summary: 'Read a license of the holder',
      tags,
      errors: ['LICENSE.NOT_FOUND'],
      params: PortalLicenseParams,
      response: { 200: Envelope(PortalLicense) },
      async handler({ request, tenant, holder }) {
        const { id } = request.params;
        return success(request, await readPortalLicense(tenant.db, holder.email, id, clock.now()));
      },
    }),
    holderRoute('GET', '/licenses/:id/key', {
      operationId: 'getPortalLicenseKey',
      summary: 'Read the key of a license of the holder',
      tags,
      errors: ['LICENSE.NOT_FOUND'],
      params: PortalLicenseParams,
      response: { 200: Envelope(PortalLicenseKey) },
      async handler({ request, reply, tenant, holder }) {
        reply.header('cache-control', 'no-store');
        return success(request, { key: await readKey(services, { tenant, holder, licenseId: request.params.id }) });
      },
    }),
    holderRoute('GET', '/licenses/:id/devices', {
      operationId: 'listPortalDevices',
      summary: 'List the devices of a license of the holder',
      tags,
      errors: ['LICENSE.NOT_FOUND'],
      params: PortalLicenseParams,
      querystring: PortalPageQuery,
      response: { 200: PageEnvelope(PortalDevice) },
      async handler({ request, tenant, holder }) {
        const action = { tenant, holder, licenseId: request.params.id };
        return successPage(request, await listDevices(services, action, request.query));
      },
    }),
  ];
}

/** The holder is the author of the change, by the id of the session. */
function actionOf<Schemas extends RequestSchemas>(
  { tenant, actor, holder }: HolderContext<Schemas>,
  licenseId: string,
) {
  const author: Actor = { ...actor, id: holder.sessionId };
  return { tenant, actor: author, holder, licenseId };
}

function changeRoutes(services: Services): PortalRoute[] {
  // Far more than a person needs; a program with a stolen session gets no further.
  const onRequest = throttle(services.rateLimits, { name: 'portal-change', attempts: 100, minutes: 1 });
  return [
    holderRoute('POST', '/licenses/:id/replace-key', {
      onRequest,
      operationId: 'replacePortalLicenseKey',
      summary: 'Replace the key of a license of the holder',
      tags,
      errors: ['LICENSE.NOT_FOUND', 'PORTAL.NOT_PERMITTED', 'LICENSE.TRANSITION_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description: 'The old key is unknown immediately. Devices keep their seats and need the new key.',
      params: PortalLicenseParams,
      body: NoFields,
      response: { 200: Envelope(PortalLicenseKey) },
      async handler(context) {
        const { request, reply } = context;
        reply.header('cache-control', 'no-store');
        return success(request, { key: await replaceKey(services, actionOf(context, request.params.id)) });
      },
    }),
    holderRoute('POST', '/licenses/:id/devices/:activation_id/release', {
      onRequest,
      operationId: 'releasePortalDevice',
      summary: 'Release a device of a license of the holder',
      tags,
      errors: [
        'LICENSE.NOT_FOUND',
        'PORTAL.NOT_PERMITTED',
        'ACTIVATION.NOT_FOUND',
        'ACTIVATION.DEACTIVATION_LIMIT_REACHED',
        'RATE_LIMIT.EXCEEDED',
      ],
      description:
        'Frees the seat, counts against `max_deactivations` of the policy, and mails the holder. Devices above what the ' +
        'license admits can always be released, and are not counted. A repeated request has the same response and ' +
        'counts nothing.',
      params: PortalDeviceParams,
      body: NoFields,
      response: { 200: Envelope(PortalRelease) },
      async handler(context) {
        const { id, activation_id } = context.request.params;
        const deactivations_left = await releaseDevice(services, actionOf(context, id), activation_id);
        return success(context.request, { released: true, deactivations_left } as const);
      },
    }),
    holderRoute('POST', '/licenses/:id/offline-activations', {
      onRequest,
      operationId: 'activatePortalDeviceOffline',
      summary: 'Activate a device without a network',
      tags,
      errors: [
        'LICENSE.NOT_FOUND',
        'PORTAL.NOT_PERMITTED',
        'OFFLINE_REQUEST.INVALID',
        'OFFLINE_REQUEST.OTHER_PRODUCT',
        'LICENSE.REVOKED',
        'LICENSE.SUSPENDED',
        'LICENSE.NOT_STARTED',
        'LICENSE.EXPIRED',
        'ACTIVATION.LIMIT_REACHED',
        'ACTIVATION.LIMIT_EXCEEDED',
        'PLAN.LIMIT_REACHED',
        'RATE_LIMIT.EXCEEDED',
      ],
      description:
        'Takes the request file of an application and returns its certificate file. A device that is active already ' +
        'keeps its seat and gets a new certificate.',
      params: PortalLicenseParams,
      body: ActivateOffline,
      response: { 200: Envelope(OfflineActivation) },
      async handler(context) {
        const { request, reply } = context;
        reply.header('cache-control', 'no-store');
        const action = actionOf(context, request.params.id);
        return success(request, await activateOffline(services, action, request.body.request));
      },
    }),
  ];
}
