import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { largestBytes, largestLimitBytes } from '../../src/http/body-limits.ts';
import { serializerOf } from '../../src/http/serializer.ts';
import { compileCheck, compileValidator } from '../../src/http/validation.ts';
import type { AppError } from '../../src/lib/error.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';

/** Schemas of one route, by the part of the request or by the status of the response. */
type Schemas = Readonly<Record<string, Type.TSchema & { readonly content?: object }>>;

interface DeclaredSchema {
  /** `body of POST /api/v1/tenant/products`. */
  readonly title: string;
  readonly schema: Type.TSchema;
}

function schemasOf({ method, url, schema = {} }: RouteOptions): {
  requests: DeclaredSchema[];
  responses: DeclaredSchema[];
} {
  const { params, querystring, body, response } = schema;
  const declared = (schemas: object) =>
    Object.entries(schemas as Schemas).flatMap(([part, one]) =>
      // Content of other media types is streamed: only its document has a schema.
      one === undefined || one.content !== undefined ? [] : [{ title: `${part} of ${method} ${url}`, schema: one }],
    );
  return { requests: declared({ params, querystring, body }), responses: declared(response ?? {}) };
}

/** Starts a service, has its OpenAPI document built, and returns every route, including those that it does not name. */
async function registeredRoutes(): Promise<{ routes: RouteOptions[]; changedByDocument: boolean }> {
  const routes: RouteOptions[] = [];
  const watch = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route));
  };
  const site = await createSite();
  subscribe('fastify.initialization', watch);
  const app = await startApp(site, { PAYMENT_PROVIDER: 'sandbox' });
  unsubscribe('fastify.initialization', watch);
  const textOf = () => JSON.stringify(routes.map(({ schema }) => schema));
  const before = textOf();
  app.http.swagger();
  const changedByDocument = textOf() !== before;
  await stopApp(app);
  await site.remove();
  return { routes, changedByDocument };
}

test('the schemas of every route can be compiled, although the service compiles each at its first use', async () => {
  const { routes } = await registeredRoutes();
  const all = routes.map(schemasOf);
  const requests = all.flatMap((route) => route.requests);
  const responses = all.flatMap((route) => route.responses);
  expect(requests.length).toBeGreaterThan(300);
  expect(responses.length).toBeGreaterThan(600);
  for (const { title, schema } of requests) expect(() => compileCheck(schema), title).not.toThrow();
  for (const { title, schema } of responses) expect(() => serializerOf(schema), title).not.toThrow();
});

test('every route of the API has a schema of its query string and its body, so that it refuses unknown fields', async () => {
  const { routes } = await registeredRoutes();
  const api = routes.filter(({ url, method }) => url.startsWith('/api/') && method !== 'OPTIONS');
  expect(api.length).toBeGreaterThan(500);
  const lacks = api.filter(({ method, schema = {} }) => {
    const takesBody = [method].flat().some((name) => ['POST', 'PUT', 'PATCH'].includes(name));
    return schema.querystring === undefined || (takesBody && schema.body === undefined);
  });
  expect(lacks.map(({ url }) => url)).toEqual([]);
});

test('building the OpenAPI document changes no schema that is compiled later', async () => {
  expect((await registeredRoutes()).changedByDocument).toBe(false);
});

test('a schema that cannot be compiled is refused', () => {
  expect(() => compileCheck(Type.Unsafe({ type: 'string', pattern: '(' }))).toThrow();
  expect(() => serializerOf(Type.Unsafe({ type: 'no such type' }))).toThrow();
});

test('every POST treats an optional field that is null as absent', async () => {
  const { routes } = await registeredRoutes();
  const refused: string[] = [];
  let fields = 0;
  for (const { method, url, schema } of routes) {
    const body = schema?.body as (Type.TObject & { readonly examples?: readonly object[] }) | undefined;
    if (![method].flat().includes('POST') || !url.startsWith('/api/')) continue;
    if (body?.properties === undefined) continue;
    const validate = compileValidator({ schema: body, method: 'POST', url, httpPart: 'body' });
    const isRefused = (input: object, name: string) =>
      (validate(input) as { readonly error?: AppError }).error?.details?.some(({ field }) => field === name) === true;
    for (const name of Object.keys(body.properties)) {
      if (body.required?.includes(name)) continue;
      fields += 1;
      const { [name]: _field, ...absent } = (body.examples?.[0] ?? {}) as Readonly<Record<string, unknown>>;
      // A device needs one of two fields: without the other one, its absence is refused as well.
      const isMissed = isRefused({ ...absent }, name);
      if (isRefused({ ...absent, [name]: null }, name) !== isMissed) refused.push(`${name} of POST ${url}`);
    }
  }
  expect(fields).toBeGreaterThan(200);
  expect(refused).toEqual([]);
});

/** The routes whose longest body, with every character as a JSON escape, is above the limit, with what fits. */
const shorterThanEscaped: readonly (readonly [route: RegExp, fits: string])[] = [
  [/ \/\S+\/policies(?:\/:id)?$/, '200 entitlements with values of 1,000 characters in UTF-8'],
  [/ \/\S+\/licenses(?:\/:id)?$/, '200 entitlements with values of 1,000 characters in UTF-8'],
  [/ \/\S+\/releases(?:\/:release_id)?$/, '50 files with signatures of 4,000 characters in UTF-8'],
  [/ \/\S+\/brand$/, 'a logo in Base64, which nobody escapes'],
];

test('every route that takes a body has a limit of its bytes, which holds the longest body that its schema accepts', async () => {
  const { routes } = await registeredRoutes();
  const withBody = routes.filter(({ schema }) => schema?.body !== undefined);
  const titleOf = ({ method, url }: RouteOptions) => `${[method].flat().join(' ')} ${url}`;
  const bodyOf = ({ schema }: RouteOptions) => schema?.body as Parameters<typeof largestBytes>[0];
  // What a streamed upload may have is counted while it arrives.
  const isStreamed = (route: RouteOptions) => bodyOf(route)['content'] !== undefined;
  expect(withBody.filter(isStreamed).map(({ url }) => url.split('/').at(-1))).toEqual(['import', 'import']);
  const limited = withBody.filter((route) => !isStreamed(route));
  expect(limited.length).toBeGreaterThan(150);
  const unlimited = limited.filter(({ bodyLimit = Number.POSITIVE_INFINITY }) => bodyLimit > largestLimitBytes);
  expect(unlimited.map(titleOf)).toEqual([]);
  const tooShort = limited.filter((route) => largestBytes(bodyOf(route)) > (route.bodyLimit ?? 0)).map(titleOf);
  expect(tooShort.filter((title) => !shorterThanEscaped.some(([known]) => known.test(title)))).toEqual([]);
  for (const [known, fits] of shorterThanEscaped)
    expect(
      tooShort.some((title) => known.test(title)),
      fits,
    ).toBe(true);
});
