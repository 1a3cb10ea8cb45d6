import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type OpenApiDocument, operationsOf } from '../../src/reference/document.ts';
import { writePath } from '../../src/reference/http-samples.ts';
import { requestSample, sampleWriter } from '../../src/reference/requests.ts';
import { locator, type PathPart, type Variable } from '../../src/reference/variables.ts';
import type { Track } from '../../src/snippets/snippet.ts';
import { repositoryRoot } from './service.ts';

const document: OpenApiDocument = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8'));
/** Every operation of the reference. */
export const operations = operationsOf(document);
type Operation = (typeof operations)[number];
const locate = locator(operations);
const locatedOf = (operation: Operation) => locate(operation, requestSample(document, operation));
const variables = operations.flatMap((operation) => locatedOf(operation).variables);
const names = variables.flatMap(({ source }) => ('environment' in source ? [source.environment] : []));

/** What a reader has set: each variable has its own name as its value. */
export const environment: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...names, 'HOLDER_TOKEN', 'METRICS_TOKEN'].map((name) => [name, name])),
  LICENSING_API_KEY: 'vx_x',
  LICENSING_TOKEN: 'service_x',
};

/** The item of every list. */
const item = { id: 'ID', email: 'ada@x.example', type: 'TYPE' };

function given({ source }: Variable): string {
  return 'environment' in source ? source.environment : (item[source.field as keyof typeof item] ?? '');
}

function routeOf(method: string, path: readonly PathPart[]): string {
  return `${method.toUpperCase()} ${writePath(path, given)}`;
}

/** Returns the requests of a sample in their order: requests that look up values, then the request of the operation. */
function routesOf(operation: Operation): string[] {
  const { path, variables: needed } = locatedOf(operation);
  const lookups = needed.flatMap(({ source }) => ('list' in source ? [routeOf(source.list.method, source.path)] : []));
  return [...lookups, routeOf(operation.method, path)];
}

/** Every JSON body without what a client adds by itself: what makes a repetition safe, nonces, and a default. */
function plain(body: unknown): unknown {
  const added = ['idempotency_key', 'nonce', 'dry_run'];
  return JSON.parse(JSON.stringify(body, (name, value) => (added.includes(name) ? undefined : value)));
}

/** The body that the sample of an operation must send. */
function bodyOf(operation: Operation): unknown {
  const body = requestSample(document, operation);
  const ids = [...locatedOf(operation).fields.keys()].map((name) => [name, item.id]);
  // The SDK sends no empty body if the operation needs none.
  const isNone = body === undefined || (JSON.stringify(body) === '{}' && !operation.isBodyRequired);
  return isNone ? {} : plain({ ...(body as object), ...Object.fromEntries(ids) });
}

/** A server that answers lists with one item, and 404 to every request that is not looking something up. */
export interface SampleServer {
  /** A folder with the files that samples read. */
  readonly folder: string;
  /** The samples of a language, each for one operation. */
  programs(track: Track): string[];
  /** From now on, the samples send the requests of their operations after all that look something up. */
  expectLookupsFirst(): void;
  /** Throws unless the samples have sent their requests, one after the other. */
  expectRequests(): void;
  close(): void;
}

/** Starts the server. */
export async function startSampleServer(): Promise<SampleServer> {
  const requests: { readonly route: string; readonly body: unknown }[] = [];
  const all = operations.flatMap((operation) =>
    routesOf(operation).map((route, at, ofOne) => ({ route, operation, isLast: at === ofOne.length - 1 })),
  );
  let expected = all;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const path = decodeURIComponent((request.url ?? '').replace(/\?.*/, ''));
      const isLast = expected[requests.length]?.isLast ?? true;
      const isJson = request.headers['content-type']?.startsWith('application/json') && text !== '';
      requests.push({ route: `${request.method} ${path}`, body: isJson ? plain(JSON.parse(text)) : {} });
      const meta = { request_id: 'r', api_version: '1', next_cursor: null };
      const data = path.endsWith('/activations/list') ? { activations: [item], next_cursor: null } : [item];
      const failure = { error: { code: 'RESOURCE.NOT_FOUND', message: 'Nothing.' }, meta };
      response.writeHead(isLast ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isLast ? failure : { data, meta }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'licensing-samples-'));
  for (const name of ['licenses.csv', 'logo.png', 'FILE']) writeFileSync(join(folder, name), 'x');
  const samples = sampleWriter(document);
  return {
    folder,
    programs(track) {
      requests.length = 0;
      expected = all;
      return operations.map((operation) => samples(operation, `http://127.0.0.1:${port}`)[track]);
    },
    expectLookupsFirst() {
      expected = [...all.filter(({ isLast }) => !isLast), ...all.filter(({ isLast }) => isLast)];
    },
    expectRequests() {
      expect(requests.map(({ route }) => route)).toEqual(expected.map(({ route }) => route));
      for (const [at, { operation, isLast }] of expected.entries()) {
        if (isLast) expect(requests[at]?.body, operation.id).toEqual(bodyOf(operation));
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
