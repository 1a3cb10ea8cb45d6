import { configurationError } from '../error.ts';
import type { WebhookHeaders } from '../webhook.ts';
import { assertHandler, isRaw, readBody, receive, type WebhookOptions } from './receive.ts';

/** What the handler uses of a request of Express, which is one of Node. */
export interface ExpressRequest extends AsyncIterable<Uint8Array> {
  readonly headers: Extract<WebhookHeaders, Readonly<Record<string, unknown>>>;
  readonly readableEnded: boolean;
  readonly body?: unknown;
}

/** What the handler uses of a response of Express, which is one of Node. */
export interface ExpressResponse {
  writeHead(status: number, headers: Record<string, string>): { end(): unknown };
}

/**
 * Returns a handler of Express, Connect or `node:http` that receives webhooks:
 * `app.post('/webhooks/licensing', expressWebhook(options))`. It reads the raw body itself, so register it before
 * `express.json()`; behind `express.raw()` it works too. Errors go to `next`, and Express answers 500.
 */
export function expressWebhook(
  options: WebhookOptions,
): (request: ExpressRequest, response: ExpressResponse, next: (error: unknown) => void) => Promise<void> {
  assertHandler(options);
  return async (request, response, next) => {
    try {
      const status = await receive(options, { headers: request.headers, body: await rawBody(request, options) });
      // What is left of a body that is too large is not read.
      response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end();
    } catch (error) {
      next(error);
    }
  };
}

/** Throws `CONFIGURATION.INVALID` if a parser has consumed the raw body. */
async function rawBody(request: ExpressRequest, options: WebhookOptions): Promise<string | Uint8Array | undefined> {
  const { body } = request;
  if (isRaw(body)) return body;
  if (!request.readableEnded) return await readBody(request, options);
  throw configurationError(
    'A parser such as express.json() has read the body before, but the signature covers the raw one. Register the ' +
      'route of the webhook above app.use(express.json()).',
  );
}
