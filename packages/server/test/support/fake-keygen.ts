import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// A server in Keygen's documented format: JSON:API collections with keyset and numbered pages, errors, rate limits.
// Sources: https://keygen.sh/docs/api/ and the public specification of its API.

type Json = Record<string, unknown>;

/** One resource as Keygen shows it. */
export interface KeygenResource {
  readonly type: string;
  readonly id: string;
  readonly attributes: Json;
  readonly relationships: Json;
}

/** The id of the account whose slug is `acme`. */
const accountId = '11111111-1111-4111-8111-111111111111';
export const keygenToken = 'admin-0123456789abcdef0123456789abcdef';

/** Returns a stable UUID for a number. */
export function keygenId(kind: number, number: number): string {
  return `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Returns a relationship to a resource. */
export function related(type: string, id: string | null): Json {
  return { data: id === null ? null : { type, id } };
}

/** Returns a resource of the account. */
export function resource(type: string, id: string, attributes: Json, relationships: Json = {}): KeygenResource {
  const times = { created: '2024-01-02T03:04:05.678Z', updated: '2024-01-02T03:04:05.678Z' };
  return {
    type,
    id,
    attributes: { metadata: {}, ...times, ...attributes },
    relationships: { account: related('accounts', accountId), ...relationships },
  };
}

/** Answers a request itself and returns true, or leaves it to the server. */
export type Interference = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** An account of Keygen, and the server that shows it. */
export interface FakeKeygen {
  readonly url: string;
  /** The resources by path: `licenses`, `licenses/<id>/entitlements`. */
  readonly collections: Map<string, KeygenResource[]>;
  /** Every request, as path and query. */
  readonly requests: string[];
  interfere: Interference | null;
  /** False for an older server, which refuses page[cursor]. */
  knowsCursors: boolean;
  close(): Promise<void>;
}

const mediaType = 'application/vnd.api+json; charset=utf-8';

/** Sends a JSON:API document. */
export function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': mediaType, ...headers }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, code: string, detail: string): void {
  send(response, status, { errors: [{ title: code, detail, code }] });
}

/** Returns the body of one page. `after` is the id of the last resource of the page before. */
export function pageBody(path: string, resources: readonly KeygenResource[], after: string, size: number) {
  const start = after === '' ? 0 : resources.findIndex(({ id }) => id === after) + 1;
  const data = resources.slice(start, start + size);
  const link = (cursor: string) =>
    `/v1/accounts/${accountId}/${path}?order=asc&page%5Bcursor%5D=${cursor}&page%5Bsize%5D=${size}`;
  const last = data.at(-1);
  const hasMore = start + size < resources.length;
  return { data, links: { self: link(after), next: hasMore && last !== undefined ? link(last.id) : null } };
}

/** Starts a server with an empty account. */
export async function startFakeKeygen(): Promise<FakeKeygen> {
  const collections = new Map<string, KeygenResource[]>();
  for (const path of ['entitlements', 'products', 'policies', 'users', 'licenses', 'machines'])
    collections.set(path, []);
  const server = createServer((request, response) => answer(request, response));
  const fake: Omit<FakeKeygen, 'url'> = {
    collections,
    requests: [],
    interfere: null,
    knowsCursors: true,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', 'http://keygen');
    const path = /^\/v1\/accounts\/[^/]+\/?(.*)$/.exec(url.pathname)?.[1] ?? '';
    fake.requests.push(path + decodeURIComponent(url.search));
    if (fake.interfere?.(request, response, path)) return;
    const account = url.pathname.split('/')[3];
    if (request.headers.authorization !== `Bearer ${keygenToken}`)
      sendError(response, 401, 'TOKEN_INVALID', 'Token is invalid');
    else if (account !== accountId && account !== 'acme')
      sendError(response, 404, 'NOT_FOUND', 'The requested account was not found');
    else if (path === '') send(response, 200, { data: resource('accounts', accountId, { name: 'Acme' }) });
    else sendPage(response, url, path);
  }

  function sendPage(response: ServerResponse, url: URL, path: string): void {
    const resources = collections.get(path) ?? (path.endsWith('/entitlements') ? [] : undefined);
    const size = Number(url.searchParams.get('page[size]') ?? '10');
    const cursor = url.searchParams.get('page[cursor]');
    if (resources === undefined) sendError(response, 404, 'NOT_FOUND', 'The requested endpoint was not found');
    else if (size < 1 || size > 100 || (cursor !== null && !fake.knowsCursors))
      sendError(response, 400, 'PARAMETER_INVALID', 'page is invalid');
    else if (cursor !== null) send(response, 200, pageBody(path, resources, cursor, size));
    else sendNumberedPage(response, url, resources, size);
  }

  function sendNumberedPage(response: ServerResponse, url: URL, resources: readonly KeygenResource[], size: number) {
    const number = Number(url.searchParams.get('page[number]') ?? '1');
    const pages = Math.ceil(resources.length / size);
    const next = number < pages ? `${url.pathname}?page[number]=${number + 1}&page[size]=${size}` : null;
    const links = { self: url.pathname + url.search, next, meta: { pages, count: resources.length } };
    send(response, 200, { data: resources.slice((number - 1) * size, number * size), links });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(fake, { url: `http://127.0.0.1:${port}` });
}
