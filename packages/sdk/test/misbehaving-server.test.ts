import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { LicensingClient, type LicensingError } from '../src/index.ts';

const apiKey = `vx_${'b2'.repeat(32)}`;
const goodBody = JSON.stringify({ data: { valid: true, code: 'LICENSE.VALID', license: null }, meta: {} });
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const good: Answer = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(goodBody);
const reset: Answer = (response) => void response.socket?.resetAndDestroy();
const send =
  (status: number, headers: Record<string, string>, body = ''): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);
const asJson = { 'content-type': 'application/json' };

/** Starts a server that gives one answer after the other; the last one repeats. */
async function serve(...answers: readonly Answer[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    request.resume().on('end', () => answer?.(response, request));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { baseUrl, requests, client: new LicensingClient({ baseUrl, apiKey }) };
}

function failureOf(call: Promise<unknown>): Promise<LicensingError> {
  return call.then(
    () => Promise.reject(new Error('The call succeeded.')),
    (error: LicensingError) => error,
  );
}

const drip: Answer = (response) => {
  response.writeHead(200, asJson);
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
};

describe('a connection that fails', () => {
  test.each<[string, Answer]>([
    ['is reset before the response', reset],
    [
      'is reset within the headers',
      (response) => {
        response.socket?.write('HTTP/1.1 200 OK\r\ncontent-ty');
        response.socket?.resetAndDestroy();
      },
    ],
    [
      'ends within the body',
      (response) => {
        response.writeHead(200, { ...asJson, 'content-length': String(goodBody.length) });
        response.write(goodBody.slice(0, 20), () => response.socket?.destroy());
      },
    ],
    [
      'ends within a chunked body',
      (response) => {
        response.writeHead(200, asJson);
        response.write(goodBody.slice(0, 20), () => response.socket?.destroy());
      },
    ],
  ])('and %s is repeated', async (_how, answer) => {
    const { client, requests } = await serve(answer, good);
    expect(await client.validate('key')).toMatchObject({ valid: true });
    expect(requests).toHaveLength(2);
  });

  test('and is reset each time is a LicensingError with its cause', async () => {
    const { client, requests } = await serve(reset);
    expect(await failureOf(client.validate('key'))).toMatchObject({
      code: 'NETWORK.UNREACHABLE',
      cause: expect.any(TypeError),
    });
    expect(requests).toHaveLength(3);
  });

  test('because nothing listens is a LicensingError', async () => {
    const { client } = await serve(good);
    await Promise.all(closing.splice(0).map((close) => close()));
    expect(await failureOf(client.validate('key'))).toMatchObject({
      code: 'NETWORK.UNREACHABLE',
      status: undefined,
      message: expect.stringMatching(/could not be reached \(connect ECONNREFUSED 127\.0\.0\.1:\d+\).*baseUrl.*CORS/),
    });
  });

  test.each<[string, Answer]>([
    ['never answers', () => undefined],
    ['sends headers only', (response) => response.writeHead(200, asJson).flushHeaders()],
    ['sends one byte after the other for ever', drip],
  ])('because the server %s ends with the deadline', async (_how, answer) => {
    const { client, requests } = await serve(answer);
    const failure = await failureOf(client.validate('key', {}, { timeoutMs: 1_500 }));
    expect(failure).toMatchObject({ code: 'NETWORK.TIMEOUT' });
    expect(requests).toHaveLength(1);
  });
});

describe('a response that is not one of the API', () => {
  const page = '<!doctype html><title>Sign in to the hotel network</title>';
  test.each<[string, Answer]>([
    ['the page of a captive portal', send(200, { 'content-type': 'text/html' }, page)],
    ['no content type', send(200, {}, goodBody)],
    ['HTML that claims to be JSON', send(200, asJson, page)],
    ['half a JSON text', send(200, asJson, goodBody.slice(0, 30))],
    ['an empty body', send(200, asJson)],
    ['no content', send(204, {})],
    ['null', send(200, asJson, 'null')],
    ['another service', send(200, asJson, '{"ok":true}')],
    ['a verdict without valid', send(200, asJson, '{"data":{"code":"LICENSE.VALID"}}')],
    ['a verdict whose valid is a text', send(200, asJson, '{"data":{"valid":"true","code":"LICENSE.VALID"}}')],
    ['JSON that is nested too deeply', send(200, asJson, `${'['.repeat(200_000)}${']'.repeat(200_000)}`)],
    ['a page not found', send(404, { 'content-type': 'text/html' }, page)],
    ['an error of another service', send(400, asJson, '{"error":"bad request"}')],
  ])('is refused and not repeated: %s', async (_what, answer) => {
    const { client, requests } = await serve(answer, good);
    expect(await failureOf(client.validate('key'))).toMatchObject({ code: 'RESPONSE.INVALID' });
    expect(requests).toHaveLength(1);
  });

  test('is repeated when a proxy says that it cannot reach the service', async () => {
    const { client } = await serve(send(502, { 'content-type': 'text/html' }, page), good);
    expect(await client.validate('key')).toMatchObject({ valid: true });
  });

  test('has the status and the request id in the error', async () => {
    const { client } = await serve(
      send(503, { 'content-type': 'text/html', 'x-request-id': 'edge-7', 'retry-after': '60' }),
    );
    expect(await failureOf(client.validate('key'))).toMatchObject({
      code: 'RESPONSE.INVALID',
      status: 503,
      requestId: 'edge-7',
      retryAfterMs: 60_000,
    });
  });

  test('an endless body is not read to its end', async () => {
    const { client } = await serve((response) => {
      response.writeHead(200, asJson);
      const block = Buffer.alloc(1024 * 1024, ' ');
      const write = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', write);
      write();
    });
    expect(await failureOf(client.validate('key'))).toMatchObject({
      code: 'RESPONSE.INVALID',
      message: expect.stringContaining('bytes'),
    });
  });
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'status %i is not followed, so no other host gets the API key',
    async (status) => {
      const other = await serve(good);
      const { client } = await serve(send(status, { location: `${other.baseUrl}/api` }));
      expect(await failureOf(client.validate('key'))).toMatchObject({ code: 'RESPONSE.INVALID', status });
      expect(other.requests).toHaveLength(0);
    },
  );
});
