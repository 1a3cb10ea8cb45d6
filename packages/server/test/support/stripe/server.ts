import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StripeAccount, StripeFailure } from './account.ts';
import { branch, type Form, parseForm } from './form.ts';
import { stripeRoutes } from './routes.ts';
import { differences } from './types/check.ts';
import { tooLong } from './types/lengths.ts';
import { findOperation, type Operation } from './types/operations.ts';

export const stripeSecretKey = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';
const apiVersion = '2026-10-28.endive';
const idempotencyKeyLengthMax = 255;

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

/** A status, a connection that is cut before or after the request takes effect, or no fault. */
type Fault = number | 'cut' | 'cut after work' | 'none';

/**
 * A server on loopback with the part of Stripe's API that the service uses. It compares each request and each of its own
 * responses with the declarations of Stripe's library, which Stripe generates from the description of its API.
 */
export interface StripeServer {
  readonly url: string;
  readonly account: StripeAccount;
  readonly requests: Received[];
  /** The requests and responses that differ from Stripe's description. A test must leave this empty. */
  readonly violations: string[];
  /** Forgets the idempotency keys, as Stripe does after a day. */
  forgetKeys(): void;
  /** Lets the next `count` requests pass, and then adds the same fault a number of times. */
  failAfter(count: number, fault: Fault, times: number): void;
  /** Loses the responses to a number of the next requests of a kind. The requests take effect. */
  cutResponses(isAffected: (request: Received) => boolean, count: number): void;
  /** Faults of the next requests. */
  readonly faults: Fault[];
  close(): Promise<void>;
}

/** Starts a server with an empty account. */
export async function startStripeServer(): Promise<StripeServer> {
  const account = new StripeAccount();
  const requests: Received[] = [];
  const violations: string[] = [];
  const faults: StripeServer['faults'] = [];
  const stored = new Map<string, StoredAnswer>();
  const cut = {
    isAffected: (_request: Received) => false,
    left: 0,
    fault(request: Received): Fault {
      if (this.left === 0 || !this.isAffected(request)) return 'none';
      this.left -= 1;
      return 'cut after work';
    },
  };

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
    const fault = faults.shift() ?? cut.fault({ method, path: url.pathname, idempotencyKey });
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
    const method = request.method ?? '';
    const form = parseForm(method === 'POST' ? text : url.search.slice(1));
    const about = `${method} ${url.pathname}`;
    const operation = findOperation(method, url.pathname);
    if (operation === undefined) {
      violations.push(`${about} is not a request of Stripe's API.`);
      throw new StripeFailure(404, { type: 'invalid_request_error', message: `Unrecognized request URL (${about}).` });
    }
    checkParameters(form, operation, method, url.pathname);
    const body = respondTo(method, url.pathname, form);
    const found = differences(body, operation.result, 'json');
    violations.push(...found.map((difference) => `The response to ${about}: ${difference}.`));
    return body;
  }

  function checkParameters(form: Form, { params }: Operation, method: string, pathname: string): void {
    const found =
      params === null ? Object.keys(form).map((name) => `${name} is unknown`) : differences(form, params, 'form');
    found.push(...tooLong(pathname, form));
    violations.push(...found.map((difference) => `${method} ${pathname}: ${difference}.`));
    if (found[0] === undefined) return;
    const type = 'invalid_request_error';
    throw new StripeFailure(400, { type, code: 'parameter_unknown', message: found.join('; ') });
  }

  function respondTo(method: string, pathname: string, form: Form): object {
    for (const { method: routed, path, handle } of stripeRoutes) {
      const match = path.exec(pathname);
      if (match === null || routed !== method) continue;
      const made = handle(account, match.slice(1).map(decodeURIComponent), form);
      return account.present(made, Object.values(branch(form, 'expand')).map(String));
    }
    throw new Error(`The tests' Stripe does not implement ${method} ${pathname}.`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    account,
    requests,
    violations,
    failAfter(count, fault, times) {
      faults.push(...Array<Fault>(count).fill('none'), ...Array<Fault>(times).fill(fault));
    },
    cutResponses: (isAffected, left) => void Object.assign(cut, { isAffected, left }),
    forgetKeys: () => stored.clear(),
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
  if ((headers['idempotency-key']?.length ?? 0) > idempotencyKeyLengthMax) {
    throw new StripeFailure(400, { type, message: 'An idempotency key has at most 255 characters.' });
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
