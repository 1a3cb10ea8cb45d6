import type { FastifyInstance, RouteOptions } from 'fastify';
import { type Static, Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { hostedHtml, hostedPage, hostedScript } from '../../../http/hosted-page.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { described, Email, strictObject } from '../../../http/schema.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { Accepted, LinkToken } from '../identity/schemas.ts';
import { confirmSubscription, subscribe, unsubscribe } from './service.ts';

/** The parsed body of a one-click unsubscription (RFC 8058, section 3.1). */
const oneClick = { 'List-Unsubscribe': 'One-Click' } as const;

const tags = ['Marketing'] as const;
const tenAMinute = { attempts: 10, minutes: 1 } as const;
const exampleToken = 'Zk3pQ8vN';

const Subscribe = strictObject(
  { email: described(Email, 'The address that receives the confirmation link.') },
  { title: 'SubscribeToNews', description: 'Requests news by mail.', examples: [{ email: 'ada@example.com' }] },
);
const Confirm = strictObject(
  { token: LinkToken },
  {
    title: 'ConfirmSubscription',
    description: 'Confirms the subscription to news.',
    examples: [{ token: exampleToken }],
  },
);
const Subscribed = Type.Object(
  { subscribed: Type.Literal(true) },
  { title: 'Subscribed', description: 'The address receives news.' },
);

const Unsubscription = strictObject(
  {
    token: Type.Optional(LinkToken),
    email: Type.Optional(described(Email, 'The address to unsubscribe, in place of a token.')),
    'List-Unsubscribe': Type.Optional(
      Type.Literal(oneClick['List-Unsubscribe'], { description: 'Sent by mail programs (RFC 8058).' }),
    ),
  },
  { title: 'Unsubscribe', description: 'Ends the subscription to news.', examples: [{ token: exampleToken }] },
);
const TokenQuery = strictObject({ token: Type.Optional(LinkToken) });

/**
 * Registers the routes that subscribe to the news by mail and unsubscribe from it, with their full paths.
 * `app` must have `acceptOneClick`.
 */
export function marketingRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute('POST', '/api/v1/marketing/subscribe', {
      onRequest: throttle(services.rateLimits, { name: 'marketing-subscribe', ...tenAMinute }),
      operationId: 'subscribeToNews',
      summary: 'Subscribe to news by mail',
      tags,
      errors: ['RATE_LIMIT.EXCEEDED'],
      description:
        'Sends a confirmation link by mail. No news is sent before the link is confirmed. The response is the same ' +
        'for every address.',
      body: Subscribe,
      response: { 202: Envelope(Accepted) },
      async handler({ request, reply }) {
        await subscribe(services, request.body.email, request.id);
        reply.status(202);
        return success(request, { accepted: true } as const);
      },
    }),
    publicRoute('POST', '/api/v1/marketing/confirm', {
      onRequest: throttle(services.rateLimits, { name: 'marketing-confirm', ...tenAMinute }),
      operationId: 'confirmNewsSubscription',
      summary: 'Confirm the subscription to news by mail',
      tags,
      errors: ['AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
      body: Confirm,
      response: { 200: Envelope(Subscribed) },
      async handler({ request }) {
        await confirmSubscription(services, request.body.token, request.id);
        return success(request, { subscribed: true } as const);
      },
    }),
    publicRoute('POST', '/api/v1/marketing/unsubscribe', {
      onRequest: throttle(services.rateLimits, { name: 'marketing-unsubscribe', ...tenAMinute }),
      operationId: 'unsubscribeFromNews',
      summary: 'Unsubscribe from news by mail',
      tags,
      errors: ['AUTH.LINK_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description:
        'Send the token of a mail, in the body or in the query, or the email address. It takes effect immediately. The ' +
        'response is the same for every address, and for every further use of a token. Mail programs post ' +
        '`List-Unsubscribe=One-Click` as a form (RFC 8058).',
      querystring: TokenQuery,
      body: Unsubscription,
      response: { 202: Envelope(Accepted) },
      async handler({ request, reply }) {
        // All fields of the body are optional, so the body itself may be missing.
        const body: Static<typeof Unsubscription> | undefined = request.body;
        const { email } = body ?? {};
        const token = body?.token ?? request.query.token;
        if (token !== undefined) await unsubscribe(services, { token }, request.id);
        else if (email !== undefined) await unsubscribe(services, { email }, request.id);
        else throw validationError({ field: 'token', message: 'Send a token or an email address.' });
        reply.status(202);
        return success(request, { accepted: true } as const);
      },
    }),
    publicRoute('GET', '/api/v1/marketing/unsubscribe', {
      operationId: 'getUnsubscribePage',
      summary: 'Show the page that unsubscribes from news by mail',
      tags,
      description: 'The page that the link in a mail opens. It changes nothing until its button is used.',
      querystring: TokenQuery,
      response: { 200: { description: 'A page.', content: { 'text/html': { schema: Type.String() } } } },
      handler: hostedHtml(new URL('./pages/unsubscribe.html', import.meta.url)),
    }),
  ];
}

/** Registers the hosted page that confirms a subscription, and the script of the page that ends one. */
export function marketingPages(): RouteOptions[] {
  const folder = new URL('./pages/', import.meta.url);
  return [...hostedPage(folder, 'confirm-subscription'), hostedScript(folder, 'unsubscribe')];
}

/** The longest form that is parsed. A mail program's has some 200 characters. */
const oneClickMax = 2_000;

/**
 * Makes the routes of `app` accept `List-Unsubscribe=One-Click` as a form, besides JSON. Mail programs should post it
 * as `multipart/form-data` and may post it URL-encoded (RFC 8058). Any other form is rejected with 400
 * `REQUEST.MALFORMED`.
 */
export function acceptOneClick(app: FastifyInstance): void {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data'];
  app.addContentTypeParser(types, { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    const isForm = request.headers['content-type']?.startsWith('multipart/') ?? false;
    const isShort = text.length <= oneClickMax;
    if (isShort && (isForm ? isOneClickPart(text) : isOneClickPair(text))) return done(null, { ...oneClick });
    done(new AppError('REQUEST.MALFORMED', 'Send exactly List-Unsubscribe=One-Click in the form, or send JSON.'));
  });
}

function isOneClickPair(text: string): boolean {
  return text.trim() === 'List-Unsubscribe=One-Click';
}

/**
 * Returns true for a multipart body with exactly one part, named `List-Unsubscribe`, with the content `One-Click`. The
 * boundary is taken from the first line of the body.
 */
function isOneClickPart(text: string): boolean {
  const [boundary = '', ...lines] = text.trimEnd().split(/\r?\n/);
  const end = lines.indexOf('');
  const headers = lines.slice(0, end);
  const isNamed = /^content-disposition: *form-data; *name="?List-Unsubscribe"?$/i;
  if (!/^--\S+$/.test(boundary) || end === -1) return false;
  if (!headers.every((header) => /^[\w-]+:/.test(header)) || !headers.some((header) => isNamed.test(header)))
    return false;
  const [content = '', last, ...rest] = lines.slice(end + 1);
  return /^One-Click$/i.test(content) && last === `${boundary}--` && rest.length === 0;
}
