import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { Actor, Tenant } from '../../tenancy/tenant.ts';
import { ErrorEnvelope } from '../envelope.ts';
import { serialisable } from '../response-schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Content of a media type other than JSON, or of several. It is documented by its schema, and streamed as it is. */
export interface Streamed {
  readonly description?: string;
  readonly content: { readonly [mediaType: string]: { readonly schema: TSchema } };
}

/** What every route declares; the source of its types, its validation and its OpenAPI entry. */
export interface RouteSchema {
  readonly summary: string;
  readonly tags: readonly [string];
  readonly description?: string;
  /** Left out of the document: it is of a page, and nobody else's business. */
  readonly hide?: true;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  /** `Streamed`: the handler reads `request.body`, a stream, with `receiveBody`. */
  readonly body?: TSchema | Streamed;
  /** The successful statuses; the failures are added to every route. */
  readonly response: { readonly [status: number]: TSchema | Streamed };
}

export type Scope = 'licenses:validate' | 'activations:write' | 'entitlements:check' | 'usage:write';

export type TypedRequest<Schema extends RouteSchema> = FastifyRequest<
  object,
  RawServerDefault,
  IncomingMessage,
  Schema,
  TypeBoxTypeProvider
>;

/** The handler's whole world: a request with exactly one resolved tenant and one actor. */
export interface TenantContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
  readonly tenant: Tenant;
  readonly actor: Actor;
}

interface TenantRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** Relative to the resource's prefix; the collection itself is `''`. */
  readonly url: string;
  readonly schema: Schema;
  /** The Integration API only: what the key must be allowed to do. */
  readonly scope?: Scope;
  /** The handler honours `Idempotency-Key`: the document says so. */
  readonly idempotent?: true;
  /** A POST that only asks: it is answered while the tenant's writers are held off. */
  readonly readsOnly?: true;
  readonly handler: (context: TenantContext<Schema>) => unknown;
}

declare const tenantRouteBrand: unique symbol;

/** A route that only a surface which resolves a tenant can register. */
export type TenantRoute = RouteOptions & { readonly [tenantRouteBrand]: true };

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly scope?: Scope;
    readonly idempotent?: true;
    readonly readsOnly?: true;
  }
}

const resolvedTenant = Symbol('tenant');
const resolvedActor = Symbol('actor');

/** Prepares an application's requests for `provideTenant`; once, before any route. */
export function decorateTenantRequests(app: FastifyInstance): void {
  app.decorateRequest(resolvedTenant, null);
  app.decorateRequest(resolvedActor, null);
}

/** What a surface calls once it has resolved a request to exactly one tenant. */
export function provideTenant(request: FastifyRequest, tenant: Tenant, actor: Actor): void {
  request[resolvedTenant] = tenant;
  request[resolvedActor] = actor;
}

declare module 'fastify' {
  interface FastifyRequest {
    [resolvedTenant]: Tenant | null;
    [resolvedActor]: Actor | null;
  }
}

/** Adds the failures that any route can answer, so that each is documented and serialised alike. */
export function withErrorResponses<Schema extends RouteSchema>(schema: Schema) {
  return { ...schema, response: serialisable({ ...schema.response, '4xx': ErrorEnvelope, '5xx': ErrorEnvelope }) };
}

/** Makes a route whose handler is given the tenant and the actor that the surface resolved. */
export function tenantRoute<const Schema extends RouteSchema>(options: TenantRouteOptions<Schema>): TenantRoute {
  const { handler, scope, idempotent, readsOnly, schema, ...rest } = options;
  const route = {
    ...rest,
    schema: withErrorResponses(schema),
    config: { ...(scope && { scope }), ...(idempotent && { idempotent }), ...(readsOnly && { readsOnly }) },
    handler(request: FastifyRequest, reply: FastifyReply) {
      const tenant = request[resolvedTenant];
      const actor = request[resolvedActor];
      if (tenant === null || actor === null) {
        throw new Error(`${request.method} ${request.routeOptions.url} runs on a surface that resolves no tenant`);
      }
      return handler({ request: request as TypedRequest<Schema>, reply, tenant, actor });
    },
  };
  return route as unknown as TenantRoute;
}
