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

/** The declaration of a route: the source of its types, validation and OpenAPI entry. */
export type RouteSchema = RouteParts & (Documented | Undocumented);

interface RouteParts {
  readonly summary: string;
  readonly description?: string;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  /** With `Streamed`, `request.body` is a stream that the handler reads with `receiveBody`. */
  readonly body?: TSchema | Streamed;
  /** The codes that the route's own work can cause, beyond those of its surface: the document lists their statuses. */
  readonly errors?: readonly ErrorCode[];
  /** The successful statuses; failures are added to every route. */
  readonly response: { readonly [status: number]: TSchema | Streamed };
}

/** A permission of an API key. */
export type Scope =
  | 'licenses:validate'
  | 'activations:write'
  | 'entitlements:check'
  | 'usage:write'
  | 'trials:create'
  | 'releases:read';

export type TypedRequest<Schema extends RouteSchema> = FastifyRequest<
  object,
  RawServerDefault,
  IncomingMessage,
  Schema,
  TypeBoxTypeProvider
>;

/** The input of a handler: a request with exactly one resolved tenant and one actor. */
export interface TenantContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
  readonly tenant: Tenant;
  readonly actor: Actor;
}

interface TenantRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** Relative to the resource's prefix; `''` is the collection. */
  readonly url: string;
  readonly schema: Schema;
  /** The scope that the API key needs; only in the Integration API. */
  readonly scope?: Scope;
  /** Documents that the handler supports `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Marks a POST that changes nothing, so that it is served while writes to the tenant are paused. */
  readonly readsOnly?: true;
  readonly handler: (context: TenantContext<Schema>) => unknown;
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

/** Defines a route whose handler receives the resolved tenant and actor. */
export function tenantRoute<const Schema extends RouteSchema>(options: TenantRouteOptions<Schema>): TenantRoute {
  const { handler, scope, idempotent, readsOnly, schema, ...rest } = options;
  const route = {
    ...rest,
    schema: withErrorResponses(schema),
    config: { ...(scope && { scope }), ...(idempotent && { idempotent }), ...(readsOnly && { readsOnly }) },
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { tenant, actor } = tenantOfRequest(request);
      const handle = () => handler({ request: request as TypedRequest<Schema>, reply, tenant, actor });
      return hasDays(request.body) || hasDays(request.query) ? readDays(request, tenant).then(handle) : handle();
    },
  };
  return route as unknown as TenantRoute;
}
