import { queryOptions } from '@tanstack/react-query';
import type { ClientPathsWithMethod, MethodResponse } from 'openapi-fetch';
import type { SurfaceId } from '../surfaces.ts';
import { bodyOf, dataOf, once } from './body.ts';
import { type Api, apiOf } from './client.ts';
import { platform } from './platform.ts';
import { keyOf, listQuery, type ReadOptions } from './query-client.ts';
import type { paths } from './schema.gen.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathOf<M extends Method> = ClientPathsWithMethod<Api, M>;
type Answer<M extends Method, Path extends PathOf<M>> = MethodResponse<Api, M, Path>;
type Data<M extends Method, Path extends PathOf<M>> = Answer<M, Path> extends { readonly data: infer D } ? D : never;

/** The parameters in a path, each as a text: two of `/connections/{id}/offers/{offer_id}`. */
type Ids<Path extends string> = Path extends `${string}{${string}}${infer Rest}` ? [id: string, ...Ids<Rest>] : [];

interface Json<Body> {
  readonly content: { readonly 'application/json': Body };
}

/** What an operation is sent: its body, if it has one. */
type Sent<Operation> = Operation extends { readonly requestBody?: never }
  ? []
  : Operation extends { readonly requestBody: Json<infer Body> }
    ? [body: Body]
    : Operation extends { readonly requestBody?: Json<infer Body> }
      ? [body?: Body]
      : [];

/** The key with which a repeated request does nothing again, if the operation takes one. */
type Once<Operation> = Operation extends {
  readonly parameters: { readonly header?: { readonly 'Idempotency-Key'?: string } };
}
  ? [idempotencyKey?: string]
  : [];

/** What a read is asked: its query, if it has one. */
type Asked<Operation> = Operation extends { readonly parameters: { readonly query?: infer Query } }
  ? [Query] extends [undefined]
    ? []
    : [query?: Query]
  : [];

type Write<First extends readonly unknown[], M extends Exclude<Method, 'get'>> = <Path extends PathOf<M>>(
  path: Path,
) => (...args: [...First, ...Ids<Path>, ...Sent<paths[Path][M]>, ...Once<paths[Path][M]>]) => Promise<Data<M, Path>>;

interface EndpointOptions<Query, Result, Shown> extends ReadOptions<Result, Shown> {
  /** What every read asks besides. It is not in the key. */
  readonly query?: Query;
}

type ReadKind = 'one' | 'page' | 'list';
type ResultOf<Kind extends ReadKind, Path extends PathOf<'get'>> = Kind extends 'one'
  ? Data<'get', Path>
  : Answer<'get', Path>;

type Read<First extends readonly unknown[], Kind extends ReadKind> = <
  Path extends PathOf<'get'>,
  Shown = ResultOf<Kind, Path>,
>(
  path: Path,
  key: readonly string[],
  options?: EndpointOptions<Asked<paths[Path]['get']>[0], ResultOf<Kind, Path>, Shown>,
) => (
  ...args: [...First, ...Ids<Path>, ...Asked<paths[Path]['get']>]
) => Kind extends 'list'
  ? ReturnType<typeof listQuery<ResultOf<Kind, Path>, Shown>>
  : ReturnType<typeof oneQuery<ResultOf<Kind, Path>, Shown>>;

/**
 * Functions that call one path each. They take the parameters of the path in their order, then the query of a read, or the
 * body and the idempotency key of a write.
 */
interface Endpoints<First extends readonly unknown[]> {
  /** Reads without a cache. */
  readonly GET: <Path extends PathOf<'get'>>(
    path: Path,
  ) => (...args: [...First, ...Ids<Path>, ...Asked<paths[Path]['get']>]) => Promise<Data<'get', Path>>;
  readonly POST: Write<First, 'post'>;
  readonly PUT: Write<First, 'put'>;
  readonly PATCH: Write<First, 'patch'>;
  readonly DELETE: Write<First, 'delete'>;
  /** Makes the query of one object. Its key is `key` and what the read is asked; `{id}` in `key` is that parameter. */
  readonly one: Read<First, 'one'>;
  /** Makes the query of one page of a list. */
  readonly list: Read<First, 'list'>;
  /** The same, but while another page is read, the list does not show the page before it. */
  readonly page: Read<First, 'page'>;
  /** Reads a file. A link cannot send the session's token. */
  readonly file: <Path extends PathOf<'get'>>(
    path: Path,
  ) => (...args: [...First, ...Ids<Path>, ...Asked<paths[Path]['get']>]) => Promise<Blob>;
}

function oneQuery<Result, Shown>(
  queryKey: readonly unknown[],
  queryFn: () => Promise<Result>,
  options: ReadOptions<Result, Shown>,
) {
  return queryOptions({ queryKey, queryFn, ...options });
}

/** Calls a path of a surface with what follows the surface: the parameters of the path, and what the operation takes. */
type Call<Result> = (surface: SurfaceId, args: readonly unknown[]) => Result;

/** The parameters of a path by name, and the arguments after them. */
function split(path: string, args: readonly unknown[]) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params: Readonly<Record<string, unknown>> = Object.fromEntries(names.map((name, at) => [name, args[at]]));
  return { params, rest: args.slice(names.length) };
}

type Send = (method: string, path: string, init: object) => Promise<{ readonly data?: { readonly data: unknown } }>;

const send = (surface: SurfaceId, ...request: Parameters<Send>) => (apiOf(surface).request as Send)(...request);

const write =
  (method: string, path: string): Call<unknown> =>
  (surface, args) => {
    const { params, rest } = split(path, args);
    const key = rest.find((one) => typeof one === 'string');
    const body = rest.find((one) => typeof one === 'object');
    const init = { params: { path: params, ...(key !== undefined && once(key)) }, ...(body !== undefined && { body }) };
    return dataOf(send(surface, method, path, init));
  };

const readOf =
  (
    kind: ReadKind,
    path: string,
    key: readonly string[],
    { query: fixed, ...options }: EndpointOptions<object, unknown, unknown> = {},
  ): Call<unknown> =>
  (surface, args) => {
    const { params, rest } = split(path, args);
    const query = rest.find((one) => typeof one === 'object');
    const named = key.map((part) => (part.startsWith('{') ? params[part.slice(1, -1)] : part));
    const others = Object.entries(params).flatMap(([name, id]) => (key.includes(`{${name}}`) ? [] : [id]));
    const queryKey = keyOf(surface, ...named, ...others, ...(query === undefined ? [] : [query]));
    const call = () => send(surface, 'get', path, { params: { path: params, query: { ...fixed, ...query } } });
    if (kind === 'list') return listQuery(queryKey, () => bodyOf(call()), options);
    return oneQuery<unknown, unknown>(queryKey, () => (kind === 'page' ? bodyOf(call()) : dataOf(call())), options);
  };

type ReadArgs = [path: string, key: readonly string[], options?: EndpointOptions<object, unknown, unknown>];

const readNow =
  (path: string): Call<unknown> =>
  (surface, args) => {
    const { params, rest } = split(path, args);
    return dataOf(send(surface, 'get', path, { params: { path: params, query: rest[0] } }));
  };

const readFile =
  (path: string): Call<unknown> =>
  (surface, args) => {
    const { params, rest } = split(path, args);
    return bodyOf(send(surface, 'get', path, { params: { path: params, query: rest[0] }, parseAs: 'blob' }));
  };

/** `bind` makes the functions that callers get: it takes the surface from their arguments, or knows it. */
function endpointsOf<First extends readonly unknown[]>(bind: (call: Call<unknown>) => unknown): Endpoints<First> {
  const endpoints = {
    GET: (path: string) => bind(readNow(path)),
    POST: (path: string) => bind(write('post', path)),
    PUT: (path: string) => bind(write('put', path)),
    PATCH: (path: string) => bind(write('patch', path)),
    DELETE: (path: string) => bind(write('delete', path)),
    one: (...read: ReadArgs) => bind(readOf('one', ...read)),
    page: (...read: ReadArgs) => bind(readOf('page', ...read)),
    list: (...read: ReadArgs) => bind(readOf('list', ...read)),
    file: (path: string) => bind(readFile(path)),
  };
  // The types follow from the path, which only the document of the API knows.
  return endpoints as unknown as Endpoints<First>;
}

/** Makes functions whose first argument is the surface to work on. */
export const onSurface = endpointsOf<[surface: SurfaceId]>(
  (call) =>
    (surface: SurfaceId, ...args: readonly unknown[]) =>
      call(surface, args),
);

/** Makes functions whose first argument is the area in which somebody is logged in, in no tenant. */
export const onArea = endpointsOf<[area: SurfaceId['area']]>(
  (call) =>
    (area: SurfaceId['area'], ...args: readonly unknown[]) =>
      call({ area, tenantId: null }, args),
);

/** Makes functions that work on the platform's own resources. */
export const onPlatform = endpointsOf<[]>(
  (call) =>
    (...args: readonly unknown[]) =>
      call(platform, args),
);

/** Makes functions that work on what belongs to the logged-in user, in no tenant. */
export const onUser = endpointsOf<[]>(
  (call) =>
    (...args: readonly unknown[]) =>
      call({ area: 'tenant', tenantId: null }, args),
);
