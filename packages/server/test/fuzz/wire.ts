import fc from 'fast-check';
import { freshAddress } from '../support/accounts.ts';
import type { TestApp } from '../support/harness.ts';
import { openSocket, portOf, type RawAnswer, readAnswers } from '../support/raw-http.ts';
import type { LiveRoute } from '../support/routes.ts';
import type { Credential } from './credentials.ts';

/** One generated request. */
export interface FuzzedRequest {
  readonly credential: Credential;
  readonly method: LiveRoute['method'];
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
  /** Sends the request over a socket with changed bytes; the name of the change. */
  readonly wire?: string;
}

/** Changes the bytes of a request in a way that an HTTP client library does not allow. */
interface WireMutation {
  readonly name: string;
  readonly change: (request: Lines) => Lines;
  /** The client stops sending after these bytes. */
  readonly ends?: true;
}

/** A request before it is sent: the parts of its first line, its headers in order, and its body. */
interface Lines {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const withHeaders = (...added: (readonly [string, string])[]) => {
  return (request: Lines): Lines => ({ ...request, headers: [...request.headers, ...added] });
};
const withTarget = (change: (target: string) => string) => {
  return (request: Lines): Lines => ({ ...request, target: change(request.target) });
};
const withMethod =
  (method: string) =>
  (request: Lines): Lines => ({ ...request, method });

/** Sends a header a second time. */
function repeated(name: string, value?: string) {
  return (request: Lines): Lines => {
    const first = request.headers.find(([given]) => given.toLowerCase() === name);
    return withHeaders([name, value ?? first?.[1] ?? 'x'])(request);
  };
}

const withoutLength = (request: Lines): Lines => {
  return { ...request, headers: request.headers.filter(([name]) => name !== 'content-length') };
};

const chunked =
  (body: string) =>
  (request: Lines): Lines => {
    return { ...withHeaders(['transfer-encoding', 'chunked'])(withoutLength(request)), body };
  };

/** The announced part is not a valid body: a handler would still run while the rest is refused and the connection closed. */
const longerThanAnnounced = (request: Lines): Lines => {
  return { ...withHeaders(['content-length', '1'])(withoutLength(request)), body: '{}' };
};

const repeatable = [
  'host',
  'authorization',
  'x-api-key',
  'x-tenant-id',
  'content-type',
  'content-length',
  'idempotency-key',
];

const mutations: readonly WireMutation[] = [
  ...repeatable.flatMap((name) => [
    { name: `${name} twice`, change: repeated(name) },
    { name: `${name} twice with different values`, change: repeated(name, 'other') },
  ]),
  ...['HEAD', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND', 'PUT', 'DELETE', 'get', 'NONSENSE'].map((method) => {
    return { name: `the method ${method}`, change: withMethod(method) };
  }),
  ...['/../', '/./', '//', '/%2e%2e/', '/%2F', '/..%2f..%2f', '/;a=b/', '\\', '/%00', '/\u00e9', '#a', '%', '?#'].map(
    (part) => {
      return {
        name: `the path with ${part}`,
        change: withTarget((target) => target.replace(/\/([^/]*)$/, `${part}$1`)),
      };
    },
  ),
  { name: 'a path out of the tenant surface', change: withTarget(() => '/api/v1/tenant/../admin/tenants') },
  {
    name: 'an encoded path out of the tenant surface',
    change: withTarget(() => '/api/v1/tenant/%2e%2e/admin/tenants'),
  },
  { name: 'upper case in the path', change: withTarget((target) => target.toUpperCase()) },
  { name: 'the absolute form of another host', change: withTarget((target) => `http://other.example${target}`) },
  { name: 'a space in the target', change: withTarget((target) => `${target} x`) },
  { name: 'a long target', change: withTarget((target) => `${target}?${'a'.repeat(20_000)}`) },
  { name: 'HTTP/1.0', change: (request) => ({ ...request, version: 'HTTP/1.0' }) },
  { name: 'HTTP/9.9', change: (request) => ({ ...request, version: 'HTTP/9.9' }) },
  { name: 'a long header', change: withHeaders(['x-long', 'a'.repeat(20_000)]) },
  {
    name: 'many headers',
    change: withHeaders(...Array.from({ length: 2_100 }, (_, index) => [`x-${index}`, ''] as const)),
  },
  { name: 'a header with a control character', change: withHeaders(['x-odd', 'a\u0001b']) },
  { name: 'a header name with a space', change: withHeaders(['x odd', 'a']) },
  { name: 'a folded header', change: withHeaders(['x-odd', 'a\r\n b']) },
  {
    name: 'method override headers',
    change: withHeaders(['x-http-method-override', 'DELETE'], ['x-original-url', '/api/v1/admin/tenants']),
  },
  { name: 'an expectation', change: withHeaders(['expect', '100-continue']) },
  {
    name: 'a body that ends too early',
    change: (request) => ({ ...request, body: request.body.slice(0, -1) }),
    ends: true,
  },
  { name: 'a body that is longer than announced', change: longerThanAnnounced },
  { name: 'an empty chunked body', change: chunked('0\r\n\r\n') },
  { name: 'a chunk without a length', change: chunked('zz\r\n{}\r\n0\r\n\r\n') },
  { name: 'a chunked body that ends too early', change: chunked('ff\r\n{'), ends: true },
  { name: 'a length and chunks', change: withHeaders(['transfer-encoding', 'chunked']) },
  { name: 'an upgrade', change: withHeaders(['upgrade', 'websocket'], ['sec-websocket-version', '13']) },
];

/** The name of a mutation, for the generated request. */
export const wireMutation: fc.Arbitrary<string> = fc.constantFrom(...mutations.map(({ name }) => name));

function linesOf({ method, url, headers, payload = '' }: FuzzedRequest, address: string): Lines {
  const body = payload.toWellFormed();
  return {
    method,
    target: url,
    version: 'HTTP/1.1',
    headers: [
      ['host', 'localhost'],
      ['connection', 'close'],
      ['x-forwarded-for', address],
      ...Object.entries(headers),
      ['content-length', String(Buffer.byteLength(body))],
    ],
    body,
  };
}

function mutationOf(name: string): WireMutation {
  const found = mutations.find((mutation) => mutation.name === name);
  if (found === undefined) throw new Error(`There is no wire mutation "${name}".`);
  return found;
}

/** Returns the bytes of a mutated request from a client address, for a service that trusts `X-Forwarded-For`. */
export function wireBytes(request: FuzzedRequest, mutation: string, address: string): string {
  const { method, target, version, headers, body } = mutationOf(mutation).change(linesOf(request, address));
  const lines = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A response must begin within this time; it ends a run that hangs. */
const patienceMs = 20_000;

/** Sends a mutated request over a socket. Throws if the service neither responds nor closes the connection. */
export async function sendOverWire(app: TestApp, request: FuzzedRequest, mutation: string): Promise<RawAnswer[]> {
  const socket = await openSocket(portOf(app));
  let isSilent = false;
  socket.setTimeout(patienceMs, () => {
    isSilent = true;
    socket.destroy();
  });
  const answers = readAnswers(socket);
  const bytes = wireBytes(request, mutation, freshAddress());
  if (mutationOf(mutation).ends) socket.end(bytes);
  else socket.write(bytes);
  const received = await answers;
  if (isSilent) throw new Error(`The service did not respond within ${patienceMs / 1000} s.`);
  return received.filter(({ status }) => status >= 200);
}
