import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest, RawServerDefault, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { TenantDb } from '../../db/database.ts';
import type { ErrorCode } from '../../lib/error-codes.ts';
import type { Actor, Tenant } from '../../tenancy/tenant.ts';
import { ErrorEnvelope } from '../envelope.ts';
import { hasDays, useTimezone } from '../lenient-input.ts';
import type { Tag } from '../openapi-tags.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Content of one or more media types other than JSON. The schema documents it; the bytes are streamed unchanged. */
export interface Streamed {
  readonly description?: string;
  readonly content: { readonly [mediaType: string]: { readonly schema: TSchema } };
}

/** A route of the OpenAPI document. */
interface Documented {
  /** The name of the function that generated clients have for the route: a verb and a noun, unique in the service. */
  readonly operationId: string;
  readonly tags: readonly [Tag];
  readonly hide?: never;
}

/** A route that the OpenAPI document omits, because only a hosted page uses it. */
interface Undocumented {
  readonly hide: true;
  readonly tags: readonly [string];
}

/** The schemas of a request. With `Streamed`, `request.body` is a stream that the handler reads with `receiveBody`. */
export interface RequestSchemas<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema | Streamed = TSchema | Streamed,
> {
  readonly params?: Params;
  readonly querystring?: Query;
  readonly body?: Body;
}

interface RouteParts {
  readonly summary: string;
  readonly description?: string;
  /** The codes that the route's own work can cause, beyond those of its surface: the document lists their statuses. */
  readonly errors?: readonly ErrorCode[];
  /** The successful statuses; failures are added to every route. */
  readonly response: { readonly [status: number]: TSchema | Streamed };
}

/** The schema of a route: the source of its types, validation and OpenAPI entry. */
export type RouteSchema<Schemas extends RequestSchemas = RequestSchemas> = Schemas &
  RouteParts &
  (Documented | Undocumented);

/** The declaration of a route: its schema, its handler, and what the kind of route adds. */
export type RouteDeclaration<Schemas extends RequestSchemas, Context> = RouteSchema<Schemas> & {
  readonly handler: (context: Context) => unknown;
};

/** A permission of an API key. */
export type Scope =
  | 'licenses:validate'
  | 'activations:write'
  | 'entitlements:check'
  | 'usage:write'
  | 'trials:create'
  | 'releases:read';

export type TypedRequest<Schemas extends RequestSchemas> = FastifyRequest<
  object,
  RawServerDefault,
  IncomingMessage,
  Required<Schemas>,
  TypeBoxTypeProvider
>;

/** What every handler receives. */
export interface RequestContext<Schemas extends RequestSchemas> {
  readonly request: TypedRequest<Schemas>;
  readonly reply: FastifyReply;
}

/** The input of a handler: a request with exactly one resolved tenant and one actor. */
export interface TenantContext<Schemas extends RequestSchemas> extends RequestContext<Schemas> {
  readonly tenant: Tenant;
  readonly actor: Actor;
}

interface TenantRouteOptions {
  /** The scope that the API key needs; only in the Integration API. */
  readonly scope?: Scope;
  /** Documents that the handler supports `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Marks a POST that changes nothing, so that it is served while writes to the tenant are paused. */
  readonly readsOnly?: true;
}

declare const tenantRouteBrand: unique symbol;

/** A route that requires a surface that resolves a tenant. */
export type TenantRoute = RouteOptions & { readonly [tenantRouteBrand]: true };

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the timezone of a tenant, which is read only for requests with days. */
    readTimezone(db: TenantDb): Promise<string>;
  }
  interface FastifyContextConfig {
    readonly scope?: Scope;
    readonly idempotent?: true;
    readonly readsOnly?: true;
  }
}

/** Returns the tenant and the actor of a request; throws for a surface that does not resolve tenants. */
export function tenantOfRequest(request: FastifyRequest): { readonly tenant: Tenant; readonly actor: Actor } {
  const { tenant, actor } = request.caller;
  if (tenant === undefined || actor === undefined) {
    throw new Error(`${request.method} ${request.routeOptions.url}: the surface does not resolve tenants.`);
  }
  return { tenant, actor };
}

async function readDays({ server, body, query }: FastifyRequest, { db }: Tenant): Promise<void> {
  const timezone = await server.readTimezone(db);
  useTimezone(body, timezone);
  useTimezone(query, timezone);
}

/** Adds the failure responses that every route has, so that they are documented and serialised in the same way. */
export function withErrorResponses<Schema extends Pick<RouteParts, 'response'>>(schema: Schema) {
  return { ...schema, response: { ...schema.response, '4xx': ErrorEnvelope, '5xx': ErrorEnvelope } };
}

const schemaKeys: readonly string[] = [
  'operationId',
  'tags',
  'hide',
  'summary',
  'description',
  'params',
  'querystring',
  'body',
  'errors',
  'response',
] satisfies readonly (keyof Documented | keyof Undocumented | keyof RouteParts | keyof RequestSchemas)[];

/** Returns the schema of a declaration, without its handler and the options of its kind. */
export function schemaOf(declaration: RouteSchema): RouteSchema {
  return Object.fromEntries(Object.entries(declaration).filter(([key]) => schemaKeys.includes(key))) as RouteSchema;
}

/**
 * Returns the function that defines the routes of a kind. `partsOf` returns the properties of the route that the options
 * of the declaration determine. `added` returns what the handler receives besides the request and the reply; it throws
 * for a surface that does not provide it.
 */
export function routeKind<Added extends object, Options extends object, Route extends RouteOptions>(
  added: (request: FastifyRequest) => Added,
  partsOf: (declaration: RouteSchema & Options) => object,
) {
  return <const Params extends TSchema, const Query extends TSchema, const Body extends TSchema | Streamed>(
    method: Method,
    url: string,
    declaration: RouteDeclaration<
      RequestSchemas<Params, Query, Body>,
      RequestContext<RequestSchemas<Params, Query, Body>> & Added
    > &
      Options,
  ): Route => {
    const { handler } = declaration;
    const route = {
      method,
      url,
      schema: withErrorResponses(schemaOf(declaration)),
      ...partsOf(declaration),
      handler: (request: FastifyRequest, reply: FastifyReply) =>
        handler({ request: request as TypedRequest<RequestSchemas<Params, Query, Body>>, reply, ...added(request) }),
    };
    return route as unknown as Route;
  };
}

/**
 * Defines a route whose handler receives the resolved tenant and actor. `url` is relative to the prefix of the resource;
 * `''` is the collection.
 */
export function tenantRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
>(
  method: Method,
  url: string,
  declaration: RouteDeclaration<
    RequestSchemas<Params, Query, Body>,
    TenantContext<RequestSchemas<Params, Query, Body>>
  > &
    TenantRouteOptions,
): TenantRoute {
  const { handler, scope, idempotent, readsOnly } = declaration;
  const route = {
    method,
    url,
    schema: withErrorResponses(schemaOf(declaration)),
    config: { ...(scope && { scope }), ...(idempotent && { idempotent }), ...(readsOnly && { readsOnly }) },
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { tenant, actor } = tenantOfRequest(request);
      const handle = () =>
        handler({ request: request as TypedRequest<RequestSchemas<Params, Query, Body>>, reply, tenant, actor });
      return hasDays(request.body) || hasDays(request.query) ? readDays(request, tenant).then(handle) : handle();
    },
  };
  return route as unknown as TenantRoute;
}
