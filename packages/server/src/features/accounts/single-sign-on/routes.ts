import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { AppError } from '../../../lib/error.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { originOf } from '../identity/requests.ts';
import { LoggedIn } from '../identity/schemas.ts';
import { describeSubject } from '../identity/service.ts';
import type { Ability } from '../identity/subject.ts';
import {
  browserCookieSeconds,
  exchangeCode,
  finishSignOn,
  newSecret,
  type SignOnServices,
  signOnAbilities,
  startSignOn,
} from './attempt-service.ts';
import { listIdentities, unlinkIdentity } from './identities-service.ts';
import { createSignOnProvider } from './provider.ts';
import { ExchangeCode, Identity, SingleSignOn, StartQuery } from './schemas.ts';

const secretPattern = /^[\w-]{43}$/;

/** `__Host-` makes browsers refuse a cookie of this name from a subdomain; it exists with https only. */
function nameOf(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-licensing_sign_on' : 'licensing_sign_on';
}

/** Returns the secret that ties a login to the browser of a request, or undefined. */
function browserSecret(request: Pick<FastifyRequest, 'headers'>, publicUrl: string): string | undefined {
  const prefix = `${nameOf(publicUrl)}=`;
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
  const [secret] = values;
  return values.length === 1 && secret !== undefined && secretPattern.test(secret) ? secret : undefined;
}

/**
 * Returns the secret of the browser of a request and keeps it there for the duration of a login. A browser that has one
 * keeps it, so that logins in two tabs do not disturb each other. `Lax` sends the cookie when the provider returns the
 * browser, but not with requests that other sites make.
 */
function keepBrowserSecret(request: FastifyRequest, reply: FastifyReply, publicUrl: string): string {
  const secret = browserSecret(request, publicUrl) ?? newSecret();
  const attributes = [`Path=/`, `Max-Age=${browserCookieSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (publicUrl.startsWith('https:')) attributes.push('Secure');
  reply.header('set-cookie', `${nameOf(publicUrl)}=${secret}; ${attributes.join('; ')}`);
  return secret;
}

const tags = ['Identity'] as const;
/** Only browsers open these addresses, one after another; the guide describes them. */
const navigation = { hide: true, tags } as const;

/** Registers the routes with which users and admins log in with the operator's provider, with their full paths. */
export function singleSignOnRoutes(services: Services): RouteOptions[] {
  const { oidc, publicUrl } = services.config;
  const provider = oidc === null ? null : createSignOnProvider({ ...services, oidc, publicUrl });
  return [
    describeRoute(services),
    startRoute(services, { ...services, provider }),
    callbackRoute(services, { ...services, provider }),
    tokenRoute(services),
  ];
}

function describeRoute(services: Services): RouteOptions {
  return publicRoute('GET', '/api/v1/auth/oidc', {
    operationId: 'getSingleSignOn',
    summary: 'Read whether single sign-on is on',
    tags,
    description: 'For login screens. A login begins when a browser opens `/api/v1/auth/oidc/start`.',
    response: { 200: Envelope(SingleSignOn) },
    handler({ request }) {
      const { oidc, signUp } = services.config;
      const abilities = signOnAbilities(services);
      const createsUsers = signUp === 'open' && (oidc?.signUp ?? false);
      const data = { enabled: oidc !== null, name: oidc?.name ?? null, abilities, sign_up: createsUsers };
      return success(request, data);
    },
  });
}

function startRoute({ config, rateLimits }: Services, services: SignOnServices): RouteOptions {
  return publicRoute('GET', '/api/v1/auth/oidc/start', {
    onRequest: throttle(rateLimits, { name: 'oidc-start', attempts: 10, minutes: 1 }),
    ...navigation,
    summary: 'Send the browser to the provider',
    errors: ['AUTH.SSO_OFF', 'RATE_LIMIT.EXCEEDED'],
    querystring: StartQuery,
    response: { 303: Type.Null() },
    handler: ({ request, reply }) => {
      const { ability = 'tenant', return_to: returnTo = null } = request.query;
      return navigating({ request, reply, publicUrl: config.publicUrl, ability, returnTo }, async () => {
        const browser = keepBrowserSecret(request, reply, config.publicUrl);
        return startSignOn(services, { ability, returnTo, browser });
      });
    },
  });
}

function callbackRoute({ config, rateLimits }: Services, services: SignOnServices): RouteOptions {
  return publicRoute('GET', '/api/v1/auth/oidc/callback', {
    onRequest: throttle(rateLimits, { name: 'oidc-callback', attempts: 10, minutes: 1 }),
    ...navigation,
    summary: 'Accept a browser that returns from the provider',
    errors: ['AUTH.SSO_OFF', 'RATE_LIMIT.EXCEEDED'],
    // Providers add parameters of their own.
    querystring: Type.Unsafe<object>({ type: 'object' }),
    response: { 303: Type.Null() },
    handler: ({ request, reply }) => {
      const { publicUrl } = config;
      const target = { request, reply, publicUrl, ability: 'tenant', returnTo: null } as const;
      return navigating(target, async () => {
        const [, query = ''] = request.url.split('?', 2);
        const browser = browserSecret(request, publicUrl);
        const { outcome, ...login } = await finishSignOn(services, { query, browser, origin: originOf(request) });
        if ('code' in outcome) return dashboardPage(publicUrl, { ...login, outcome });
        return refuse({ ...target, ...login }, outcome.error);
      });
    },
  });
}

interface Navigation {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly publicUrl: string;
  readonly ability: Ability;
  readonly returnTo: string | null;
}

/** Redirects a browser to the URL that `work` returns, and to the dashboard if `work` refuses. */
async function navigating(target: Navigation, work: () => Promise<string>): Promise<FastifyReply> {
  const url = await work().catch((error: unknown) => refuse(target, error));
  return target.reply.redirect(url, 303);
}

/** Returns the page of the dashboard that shows a refusal. Throws the error if the caller is not a browser. */
function refuse({ request, publicUrl, ability, returnTo }: Navigation, error: unknown): string {
  const isBrowser = request.headers.accept?.includes('text/html') ?? false;
  if (!(error instanceof AppError && isBrowser)) throw error;
  return dashboardPage(publicUrl, { ability, returnTo, outcome: { error: error.code } });
}

interface Arrival {
  readonly ability: Ability;
  readonly returnTo: string | null;
  readonly outcome: { readonly code: string } | { readonly error: string };
}

/** Everything is in the fragment of the URL, which browsers do not send to servers, so that no log contains it. */
function dashboardPage(publicUrl: string, { ability, returnTo, outcome }: Arrival): string {
  const fragment = new URLSearchParams({ ability, ...(returnTo !== null && { next: returnTo }), ...outcome });
  return `${publicUrl}/single-sign-on#${fragment}`;
}

function tokenRoute(services: Services): RouteOptions {
  const { publicUrl } = services.config;
  return publicRoute('POST', '/api/v1/auth/oidc/token', {
    onRequest: throttle(services.rateLimits, { name: 'oidc-token', attempts: 10, minutes: 1 }),
    operationId: 'exchangeSignOnCode',
    summary: 'Exchange the code of a single sign-on for a token',
    tags,
    errors: [
      'AUTH.SSO_ATTEMPT_INVALID',
      'AUTH.SSO_ACCOUNT_DISABLED',
      'AUTH.TWO_FACTOR_REQUIRED',
      'AUTH.TWO_FACTOR_INVALID',
      'AUTH.LOCKED_OUT',
      'RATE_LIMIT.EXCEEDED',
    ],
    description:
      'Works only in the browser that started the login. With two-factor authentication, a request without ' +
      '`two_factor_code` is refused with `AUTH.TWO_FACTOR_REQUIRED`, and the code stays valid.',
    body: ExchangeCode,
    response: { 200: Envelope(LoggedIn) },
    async handler({ request, reply }) {
      const { code, two_factor_code: secondFactor, device_name: deviceName = null } = request.body;
      const browser = browserSecret(request, publicUrl);
      const exchange = { code, browser, secondFactor, deviceName, origin: originOf(request) };
      const { accessToken, expiresAt, ...who } = await exchangeCode(services, exchange);
      reply.header('cache-control', 'no-store');
      const token = { access_token: accessToken, token_type: 'Bearer', expires_at: expiresAt } as const;
      return success(request, { ...token, ...(await describeSubject(services, who)) });
    },
  });
}

/** Registers the routes with which users list and unlink their identities at the provider of single sign-on. */
export function identityLinkRoutes(services: Services): UserRoute[] {
  return [
    userRoute('GET', '/account/identities', {
      operationId: 'listAccountIdentities',
      summary: 'List the identities with which you can log in',
      tags: ['Account'],
      description: 'At most one for each provider of single sign-on that the service has had.',
      response: { 200: PageEnvelope(Identity) },
      async handler({ request, user }) {
        return successPage(request, { rows: await listIdentities(services, user.id), nextCursor: null });
      },
    }),
    userRoute('DELETE', '/account/identities/:id', {
      operationId: 'unlinkAccountIdentity',
      summary: 'Unlink an identity',
      tags: ['Account'],
      errors: ['ACCOUNT.NO_PASSWORD'],
      description: 'Needs a password. A later login with the same verified address links the identity again.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, user, actor }) {
        await unlinkIdentity(services, actor, user.id, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
