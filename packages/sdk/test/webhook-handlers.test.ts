import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WebhookEvent } from '../src/api-types.ts';
import { LicensingError } from '../src/index.ts';
import {
  expressWebhook,
  fastifyWebhook,
  honoWebhook,
  type WebhookOptions,
  webhookHandler,
} from '../src/webhooks/index.ts';

// The frameworks of the examples, without their types: the test of the examples compiles against those.
const load = createRequire(new URL('../../../examples/test/frameworks/package.json', import.meta.url));
const express = load('express');
const { fastify } = load('fastify');
const { Hono } = load('hono');
const { serve } = load('@hono/node-server');

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
/** Its bytes change when a program parses it and writes it again. */
const body = '{ "id": "event-1", "type": "license.created", "data": { "key": "Ä", "max_activations": 1.0 } }';
const closing: (() => unknown)[] = [];
let events: WebhookEvent[];
let errors: unknown[];
/** What `onEvent` does besides. */
let work: () => unknown;
let options: WebhookOptions;

beforeEach(() => {
  [events, errors, work] = [[], [], () => undefined];
  options = {
    secret,
    maxBytes: 1000,
    async onEvent(event) {
      await work();
      events.push(event);
    },
  };
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function addressOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const keep = (error: unknown) => void errors.push(error);

/** Serves an application of Express, whose parsers are added by `prepare`. */
function serveExpress(prepare: (app: { use: (...handlers: unknown[]) => void }) => void = () => undefined) {
  const app = express();
  prepare(app);
  app.post('/hooks', expressWebhook(options));
  app.use(express.json());
  app.post('/other', (request: { body: unknown }, response: { json: (body: unknown) => void }) =>
    response.json(request.body),
  );
  app.use((error: Error, _request: unknown, _response: unknown, next: (error: Error) => void) => {
    keep(error);
    next(error);
  });
  app.set('env', 'test');
  return addressOf(app.listen(0, '127.0.0.1'));
}

async function serveFastify() {
  const app = fastify();
  app.addHook('onError', async (_request: unknown, _reply: unknown, error: unknown) => keep(error));
  app.register(fastifyWebhook(options), { prefix: '/hooks' });
  app.post('/other', async (request: { body: unknown }) => request.body);
  await app.listen({ port: 0, host: '127.0.0.1' });
  closing.push(() => app.close());
  return `http://127.0.0.1:${app.server.address().port}`;
}

/** Serves an application of Hono, with a middleware before the webhook. */
function serveHono(before: (context: { req: { json(): Promise<unknown> } }) => unknown = () => undefined) {
  const app = new Hono();
  app.onError((error: Error, context: { body: (body: null, status: number) => Response }) => {
    keep(error);
    return context.body(null, 500);
  });
  app.use(async (context: { req: { json(): Promise<unknown> } }, next: () => Promise<void>) => {
    await before(context);
    await next();
  });
  app.post('/hooks', honoWebhook(options));
  app.post('/other', async (context: { req: { json(): Promise<unknown> }; json: (body: unknown) => Response }) =>
    context.json(await context.req.json()),
  );
  return addressOf(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }));
}

/** Serves the function of the web standard as Next.js, Deno and Bun do: with a `Request`, whose errors are a 500. */
function serveStandard() {
  const handle = webhookHandler(options);
  const parse = async (request: Request) => Response.json(await request.json());
  const answer = (request: Request) => (request.url.endsWith('/hooks') ? handle : parse)(request);
  return addressOf(
    serve({ fetch: (request: Request) => answer(request).catch(failed), port: 0, hostname: '127.0.0.1' }),
  );
}

function failed(error: unknown): Response {
  keep(error);
  return new Response(null, { status: 500 });
}

function headersOf(text = body, by = secret): Record<string, string> {
  const now = new Date();
  return {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('event-1', now, text),
  };
}

async function post(url: string, text: string, headers: Record<string, string>) {
  const response = await fetch(url, { method: 'POST', body: text, headers });
  return { status: response.status, text: await response.text() };
}

const otherSecret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const large = JSON.stringify({ id: 'event-1', type: 'license.created', data: 'x'.repeat(1000) });

describe.each([
  ['Express', () => serveExpress()],
  ['Express behind express.raw()', () => serveExpress((app) => app.use('/hooks', express.raw({ type: '*/*' })))],
  ['Fastify', serveFastify],
  ['Hono', () => serveHono()],
  ['Hono behind a middleware that has read the body', () => serveHono(({ req }) => req.json())],
  ['the standard Request', serveStandard],
])('a webhook handler of %s', (name, start) => {
  test('passes a signed event to onEvent, and answers 204 after that has ended', async () => {
    let hasEnded = false;
    work = async () => {
      await new Promise(setImmediate);
      hasEnded = true;
    };
    const url = await start();
    expect(await post(`${url}/hooks`, body, headersOf())).toEqual({ status: 204, text: '' });
    expect(hasEnded).toBe(true);
    expect(events).toEqual([{ id: 'event-1', type: 'license.created', data: { key: 'Ä', maxActivations: 1 } }]);
    expect(await post(`${url}/hooks`, body, { ...headersOf(), 'content-type': 'text/plain' })).toMatchObject({
      status: 204,
    });
  });

  test.each([
    ['of somebody else', body, headersOf(body, otherSecret)],
    ['whose body was changed', body.replace('1.0', '2.0'), headersOf()],
    ['without a signature', body, { 'content-type': 'application/json' }],
    ['without a body', '', headersOf()],
    ['that is not JSON', 'hello', headersOf()],
  ])('answers 400 and nothing else to a request %s', async (_what, text, headers) => {
    // A middleware that parses JSON itself fails before the handler.
    if (name.includes('has read') && !text.startsWith('{')) return;
    const url = await start();
    expect(await post(`${url}/hooks`, text, headers)).toEqual({ status: 400, text: '' });
    expect({ events, errors }).toEqual({ events: [], errors: [] });
  });

  test('answers 500 if onEvent fails, whatever status its error has, and gives the error to the framework', async () => {
    const cause = new LicensingError({ code: 'LICENSE.NOT_FOUND', message: 'gone', status: 410 });
    work = () => Promise.reject(cause);
    const url = await start();
    expect(await post(`${url}/hooks`, body, headersOf())).toMatchObject({ status: 500 });
    expect(errors).toMatchObject([{ code: 'WEBHOOK.HANDLER_FAILED', status: undefined, cause }]);
    expect(String(errors[0])).toContain('license.created event-1');
  });

  test('answers 500 while the secret is not set', async () => {
    options = { ...options, secret: '' };
    const url = await start();
    expect(await post(`${url}/hooks`, body, headersOf())).toMatchObject({ status: 500 });
    expect(errors).toMatchObject([{ code: 'CONFIGURATION.INVALID' }]);
  });

  test('leaves the bodies of other routes to the parsers', async () => {
    const url = await start();
    expect(await post(`${url}/other`, '{"a":1}', headersOf())).toEqual({ status: 200, text: '{"a":1}' });
  });
});

describe.each([
  ['Express', () => serveExpress()],
  ['Fastify', serveFastify],
  ['Hono', () => serveHono()],
  ['the standard Request', serveStandard],
])('a webhook handler of %s', (_name, start) => {
  test('answers 413 to a body that is too large', async () => {
    const url = await start();
    expect(await post(`${url}/hooks`, large, headersOf(large))).toMatchObject({ status: 413 });
    expect(events).toEqual([]);
  });

  test('answers 413 as soon as a body without a length is too large, and does not wait for its end', async () => {
    const url = await start();
    const sent = httpRequest(`${url}/hooks`, { method: 'POST', headers: headersOf() });
    sent.on('error', () => undefined);
    sent.write(large);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    sent.destroy();
  });
});

test('behind express.json(), the handler says what to change', async () => {
  const url = await serveExpress((app) => app.use(express.json()));
  expect(await post(`${url}/hooks`, body, headersOf())).toMatchObject({ status: 500 });
  expect(errors).toMatchObject([{ code: 'CONFIGURATION.INVALID', message: expect.stringContaining('above app.use') }]);
});

test('a Request whose body was read before is refused with what to change', async () => {
  const request = new Request('http://localhost/', { method: 'POST', body, headers: headersOf() });
  await request.text();
  await expect(webhookHandler(options)(request)).rejects.toMatchObject({
    code: 'CONFIGURATION.INVALID',
    message: expect.stringContaining('clone'),
  });
});

test('the handler of Express serves node:http too, and both secrets of a rotation pass', async () => {
  const handle = expressWebhook({ ...options, secret: [otherSecret, secret] });
  const url = await addressOf(
    createServer((request, response) => {
      void handle(request, response, (error) => {
        keep(error);
        response.writeHead(500).end();
      });
    }).listen(0, '127.0.0.1'),
  );
  for (const by of [secret, otherSecret]) {
    expect(await post(url, body, headersOf(body, by))).toMatchObject({ status: 204 });
  }
  work = () => Promise.reject(new Error('no database'));
  expect(await post(url, body, headersOf())).toMatchObject({ status: 500 });
});
