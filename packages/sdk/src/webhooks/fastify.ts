import type { WebhookHeaders } from '../webhook.ts';
import { assertHandler, isRaw, receive, type WebhookOptions } from './receive.ts';

/** What the plugin uses of an instance of Fastify. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyMessage, reply: FastifyAnswer) => Promise<unknown>): unknown;
}

/** What the plugin uses of a request of Fastify. */
export interface FastifyMessage {
  readonly headers: Extract<WebhookHeaders, Readonly<Record<string, unknown>>>;
  readonly body: unknown;
}

/** What the plugin uses of a reply of Fastify. */
export interface FastifyAnswer {
  code(status: number): { send(): unknown };
}

/**
 * Returns a plugin of Fastify that receives webhooks at its prefix:
 * `app.register(fastifyWebhook(options), { prefix: '/webhooks/licensing' })`. Its parser of raw bodies is for this route
 * only: do not wrap it in `fastify-plugin`. Fastify's error handler answers 500 for errors and 413 for large bodies.
 */
export function fastifyWebhook(options: WebhookOptions): (scope: FastifyScope) => Promise<void> {
  assertHandler(options);
  const { maxBytes: bodyLimit = 1_000_000 } = options;
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
    scope.post('/', async ({ headers, body }, reply) => {
      // Without a body, Fastify calls no parser.
      const status = await receive(options, { headers, body: isRaw(body) ? body : '' });
      return reply.code(status).send();
    });
  };
}
