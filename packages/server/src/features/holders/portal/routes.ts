import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { type PortalRoute, portalRoute } from '../../../http/routes/holder-route.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { applyThrottle, throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { readBrand } from '../../tenant-core/brand/service.ts';
import { preferredLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import { holderRoutes } from './holder-routes.ts';
import { loginByCode, loginByLink, requestLogin } from './login-service.ts';
import {
  NewPortalSession,
  Portal,
  PortalCodeLogin,
  PortalLinkLogin,
  PortalLoginRequested,
  PortalParams,
  RequestPortalLogin,
} from './schemas.ts';
import type { IssuedHolderSession } from './session-service.ts';
import { readPermissions } from './settings-service.ts';

const tags = ['Portal'] as const;
/** For a login and for a code, per client address and per address of a holder. */
const attempts = { attempts: 6, minutes: 1 } as const;
const attemptWindow = { limit: attempts.attempts, windowSeconds: attempts.minutes * 60 } as const;

/** The routes of the portal, relative to its address. */
export function portalRoutes(services: Services): PortalRoute[] {
  return [...publicRoutes(services), ...loginRoutes(services), ...holderRoutes(services)];
}

function publicRoutes(services: Services): PortalRoute[] {
  return [
    portalRoute('GET', '', {
      operationId: 'getPortal',
      summary: 'Read how a portal looks and what it offers',
      tags,
      params: PortalParams,
      response: { 200: Envelope(Portal) },
      async handler({ request, tenant, portal }) {
        const { display_name, logo, accent_color, support_url } = await readBrand(tenant.db);
        const { support_email } = await readSettings(tenant.db);
        const host = portal.domain === null ? services.config.publicUrl : `https://${portal.domain}`;
        const logoPath = `/api/v1/portal/${portal.handle}/logo?v=${logo?.hash.slice(0, 16)}`;
        return success(request, {
          display_name: display_name ?? tenant.name,
          logo_url: logo === null ? null : host + logoPath,
          accent_color,
          support_email,
          support_url,
          permissions: await readPermissions(tenant.db),
        });
      },
    }),
    portalRoute('GET', '/logo', {
      operationId: 'getPortalLogo',
      summary: 'Read the logo of a portal',
      tags,
      params: PortalParams,
      querystring: Type.Object(
        { v: Type.Optional(Type.String({ maxLength: 64, description: 'The version of the logo, for caches.' })) },
        { additionalProperties: false },
      ),
      response: { 200: { content: { 'image/png': { schema: Image }, 'image/webp': { schema: Image } } } },
      async handler({ reply, tenant }) {
        const { logo } = await readBrand(tenant.db);
        if (logo === null)
          throw new AppError('RESOURCE.NOT_FOUND', 'The portal has no logo. Use the name of the vendor instead.');
        reply.type(logo.type).headers({
          'cache-control': 'public, max-age=3600',
          // The image is the vendor's: a browser that opens it as a page must run nothing in it.
          'content-security-policy': "default-src 'none'; sandbox",
        });
        return reply.send(Buffer.from(logo.base64, 'base64'));
      },
    }),
  ];
}

const Image = Type.String({ format: 'binary' });

function loginRoutes(services: Services): PortalRoute[] {
  const { rateLimits } = services;
  return [
    portalRoute('POST', '/login', {
      onRequest: throttle(rateLimits, { name: 'portal-login', ...attempts }),
      operationId: 'requestPortalLogin',
      summary: 'Request a mail to log in to a portal',
      tags,
      errors: ['RATE_LIMIT.EXCEEDED'],
      description:
        'An address with a license gets a mail with a link and a code of six digits, which work once and for 10 ' +
        'minutes. The response and its time are the same for every address.',
      params: PortalParams,
      body: RequestPortalLogin,
      response: { 202: Envelope(PortalLoginRequested) },
      async handler({ request, reply, tenant }) {
        await limitAddress(services, reply, 'portal-login-address', tenant, request.body.email);
        await requestLogin(services, tenant, request.body.email, languageOf(request));
        reply.status(202);
        return success(request, { requested: true } as const);
      },
    }),
    portalRoute('POST', '/login/code', {
      onRequest: throttle(rateLimits, { name: 'portal-code', ...attempts }),
      operationId: 'logInToPortalByCode',
      summary: 'Log in to a portal with a code',
      tags,
      errors: ['RATE_LIMIT.EXCEEDED', 'PORTAL.LOGIN_INVALID'],
      description: 'A code works once and admits five tries. The session lasts 12 hours.',
      params: PortalParams,
      body: PortalCodeLogin,
      response: { 200: Envelope(NewPortalSession) },
      async handler({ request, reply, tenant, actor, portal }) {
        await limitAddress(services, reply, 'portal-code-address', tenant, request.body.email);
        const origin = { ...actor, language: languageOf(request), domain: portal.domain };
        return success(request, newSession(reply, await loginByCode(services, tenant, request.body, origin)));
      },
    }),
    portalRoute('POST', '/login/link', {
      onRequest: throttle(rateLimits, { name: 'portal-code', ...attempts }),
      operationId: 'logInToPortalByLink',
      summary: 'Log in to a portal with a link',
      tags,
      errors: ['RATE_LIMIT.EXCEEDED', 'PORTAL.LOGIN_INVALID'],
      description:
        'Uses the link up. Opening the address of the link does not, so programs that check the links in mails do no harm.',
      params: PortalParams,
      body: PortalLinkLogin,
      response: { 200: Envelope(NewPortalSession) },
      async handler({ request, reply, tenant, actor, portal }) {
        const origin = { ...actor, language: languageOf(request), domain: portal.domain };
        return success(request, newSession(reply, await loginByLink(services, tenant, request.body.token, origin)));
      },
    }),
  ];
}

function languageOf({ headers }: Pick<FastifyRequest, 'headers'>) {
  return preferredLanguage(headers['accept-language']);
}

/** Limits the attempts for one address of a tenant, whether or not it has a license. Throws 429. */
async function limitAddress(
  { rateLimits }: Services,
  reply: FastifyReply,
  name: string,
  tenant: Tenant,
  email: string,
): Promise<void> {
  const window = await rateLimits.consume(name, `${tenant.id} ${foldEmail(email)}`, attemptWindow);
  // The headers stay those of the client's own limit, unless this one refuses.
  if (!window.allowed) applyThrottle(reply, window);
}

function newSession(reply: FastifyReply, { token, email, expiresAt }: IssuedHolderSession) {
  reply.header('cache-control', 'no-store');
  return { token, email, expires_at: expiresAt };
}
