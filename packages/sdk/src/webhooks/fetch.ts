import { configurationError } from '../error.ts';
import { assertHandler, readBody, receive, type WebhookOptions } from './receive.ts';

/** What the handler uses of a context of Hono. */
export interface HonoContext {
  readonly req: { readonly raw: Request; text(): Promise<string> };
}

/**
 * Returns a function from `Request` to `Response` that receives webhooks: a route handler of Next.js (`export const POST`),
 * and what Deno, Bun and edge workers serve.
 */
export function webhookHandler(options: WebhookOptions): (request: Request) => Promise<Response> {
  assertHandler(options);
  return async (request) => {
    if (request.bodyUsed) {
      throw configurationError('The body of the request was read before. Pass the request first, or a clone of it.');
    }
    const body = await readBody(request.body, options);
    return new Response(null, { status: await receive(options, { headers: request.headers, body }) });
  };
}

/** Returns a handler of Hono that receives webhooks: `app.post('/webhooks/licensing', honoWebhook(options))`. */
export function honoWebhook(options: WebhookOptions): (context: HonoContext) => Promise<Response> {
  const handle = webhookHandler(options);
  return async ({ req }) => {
    if (!req.raw.bodyUsed) return handle(req.raw);
    // Hono keeps the text that a middleware has read.
    const message = { headers: req.raw.headers, body: await req.text() };
    return new Response(null, { status: await receive(options, message) });
  };
}
