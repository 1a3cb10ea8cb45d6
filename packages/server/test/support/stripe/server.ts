import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StripeAccount, StripeFailure } from './account.ts';
import { parseForm, unknownParameter } from './form.ts';
import { stripeRoutes } from './routes.ts';

export const stripeSecretKey = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';
const apiVersion = '2026-10-28.endive';

interface Received {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | undefined;
}

interface StoredAnswer {
  readonly request: string;
  readonly status: number;
  readonly body: string;
}

/** A server on loopback with the part of Stripe's API that the service uses. It validates as strictly as Stripe. */
export interface StripeServer {
  readonly url: string;
  readonly account: StripeAccount;
  readonly requests: Received[];
  /** Faults of the next requests: a status, or a connection that is cut before or after the request takes effect. */
  readonly faults: (number | 'cut' | 'cut after work')[];
  close(): Promise<void>;
}

/** Starts a server with an empty account. */
export async function startStripeServer(): Promise<StripeServer> {
  const account = new StripeAccount();
  const requests: Received[] = [];
  const faults: StripeServer['faults'] = [];
  const stored = new Map<string, StoredAnswer>();

  const server = createServer((request, response) => {
    void respond(request, response).catch((error: unknown) => {
      send(response, 500, { error: { type: 'api_error', message: String(error) } });
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const url = new URL(request.url ?? '/', 'http://stripe.test');
    const method = request.method ?? '';
    const idempotencyKey = request.headers['idempotency-key']?.toString();
    requests.push({ method, path: url.pathname, idempotencyKey });
    const fault = faults.shift();
    if (fault === 'cut') return void request.socket.destroy();
    if (typeof fault === 'number') return send(response, fault, { error: { type: 'api_error', message: 'Fault.' } });
    const answer = respondOnce(request, `${method} ${url.pathname} ${text}`, () => work(request, url, text));
    if (fault === 'cut after work') return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json', 'request-id': 'req_1' }).end(answer.body);
  }

  /** Repeats the response to an idempotency key, including a 402. As at Stripe, a refused request can be corrected. */
  function respondOnce(request: IncomingMessage, described: string, make: () => object): StoredAnswer {
    const key = request.headers['idempotency-key']?.toString();
    const known = key === undefined ? undefined : stored.get(key);
    if (known !== undefined && known.request === described) return known;
    const answer = known === undefined ? attempt(make) : attempt(refuseReusedKey);
    const made = { request: described, ...answer };
    const tookEffect = made.status === 200 || made.status === 402;
    if (key !== undefined && known === undefined && tookEffect) stored.set(key, made);
    return made;
  }

  function work(request: IncomingMessage, url: URL, text: string): object {
    checkHeaders(request);
    for (const { method, path, accepts, handle } of stripeRoutes) {
      const match = path.exec(url.pathname);
      if (match === null || method !== request.method) continue;
      const form = parseForm(request.method === 'POST' ? text : url.search.slice(1));
      const unknown = unknownParameter(form, accepts);
      if (unknown !== undefined) {
        const type = 'invalid_request_error';
        const message = `Received unknown parameter: ${unknown}`;
        throw new StripeFailure(400, { type, code: 'parameter_unknown', message, param: unknown });
      }
      return handle(account, decodeURIComponent(match[1] ?? ''), form);
    }
    const message = `Unrecognized request URL (${request.method}: ${url.pathname}).`;
    throw new StripeFailure(404, { type: 'invalid_request_error', message });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    account,
    requests,
    faults,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function checkHeaders({ headers, method }: IncomingMessage): void {
  const type = 'invalid_request_error';
  if (headers.authorization !== `Bearer ${stripeSecretKey}`) {
    throw new StripeFailure(401, { type, message: 'Invalid API Key provided.' });
  }
  if (headers['stripe-version'] !== apiVersion)
    throw new StripeFailure(400, { type, message: 'The API version is not the pinned one.' });
  if (method === 'POST' && headers['idempotency-key'] === undefined) {
    throw new StripeFailure(400, { type, message: 'Every POST of the tests must have an idempotency key.' });
  }
  const contentType = headers['content-type'] ?? '';
  if (method === 'POST' && !contentType.startsWith('application/x-www-form-urlencoded')) {
    throw new StripeFailure(400, { type, message: 'The body must be a form.' });
  }
}

function refuseReusedKey(): never {
  const message = 'Keys for idempotent requests can only be used with the same parameters.';
  throw new StripeFailure(400, { type: 'idempotency_error', message });
}

function attempt(make: () => object): { readonly status: number; readonly body: string } {
  try {
    return { status: 200, body: JSON.stringify(make()) };
  } catch (error) {
    if (error instanceof StripeFailure) return { status: error.status, body: JSON.stringify(error.body) };
    throw error;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
