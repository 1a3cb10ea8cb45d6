import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { success } from '../../../http/envelope.ts';
import { repeatedHeader, singleHeader } from '../../../http/headers.ts';
import {
  type RequestSchemas,
  type RouteSchema,
  type Scope,
  type Streamed,
  type TenantContext,
  type TenantRoute,
  tenantRoute,
} from '../../../http/routes/tenant-route.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { CreationResponse } from './attempts.ts';
import { type Creation, createOnce } from './service.ts';

interface CreatingRouteOptions<Schemas extends RequestSchemas, Created> {
  readonly scope?: Scope;
  /** Creates the resource, or acts on it, in one transaction on the tenant's database and returns the result of that transaction. */
  readonly create: (context: TenantContext<Schemas>) => Promise<Created>;
  /** Builds the status and `data` of the response. It runs inside the transaction and must only compute. */
  readonly answer: (created: Created) => CreationResponse;
  /** Fields of `data` that are returned once and are null in a replay. The response schema must allow null. */
  readonly secretFields?: readonly string[];
}

const keyForm = /^[\x21-\x7e]{1,255}$/;

/**
 * Defines a `POST` route that creates a resource, or acts on one in a way that a repetition must not repeat, at most
 * once per `Idempotency-Key`.
 */
export function creatingRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
  Created,
>(
  services: Services,
  url: string,
  declaration: RouteSchema<RequestSchemas<Params, Query, Body>> &
    CreatingRouteOptions<RequestSchemas<Params, Query, Body>, Created>,
): TenantRoute {
  const { create, answer, secretFields = [], ...rest } = declaration;
  return tenantRoute<Params, Query, Body>('POST', url, {
    ...rest,
    idempotent: true,
    async handler(context) {
      const { request } = context;
      return await answerOnce(services, context, {
        key: idempotencyKeyOf(request),
        input: { params: request.params, body: request.body },
        creation: { answer, secretFields, create: (tenant) => create({ ...context, tenant }) },
      });
    },
  });
}

interface NamedCreation<Created> {
  /** The result of `idempotencyKeyOf`; without a key nothing is stored. */
  readonly key: string | undefined;
  /** All data that determines the effect of the request. */
  readonly input: unknown;
  readonly leaseSeconds?: number;
  readonly creation: Creation<Created>;
}

/**
 * Runs a creation, at most once if the request has an idempotency key. Sets the status of the reply and returns its
 * envelope. Throws the errors of `createOnce`.
 */
export async function answerOnce<Schemas extends RequestSchemas, Created>(
  services: Services,
  { request, reply, tenant }: Pick<TenantContext<Schemas>, 'request' | 'reply' | 'tenant'>,
  { key, creation, ...named }: NamedCreation<Created>,
) {
  if (key === undefined) return sendOutcome(request, reply, creation.answer(await creation.create(tenant)));
  const once = { ...named, route: routeOf(request), key };
  return sendOutcome(request, reply, await createOnce(services, tenant, once, creation));
}

/** Sets the status of the reply, and the header of a repeated response, and returns the envelope. */
export function sendOutcome(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, data, replayed = false }: CreationResponse & { readonly replayed?: boolean },
) {
  reply.status(status);
  if (replayed) reply.header('idempotency-replayed', 'true');
  return success(request, data);
}

/**
 * Returns the method and URL pattern of a request. The pattern includes the surface, so keys of users, applications and
 * admins do not collide.
 */
export function routeOf(request: Pick<FastifyRequest, 'method' | 'routeOptions'>): string {
  return `${request.method} ${request.routeOptions.url}`;
}

/** Returns the `Idempotency-Key` of a request, if any. Throws 400 if the header is repeated or malformed. */
export function idempotencyKeyOf(request: Pick<FastifyRequest, 'raw'>): string | undefined {
  const key = singleHeader(request as FastifyRequest, 'idempotency-key');
  if (key === undefined) return undefined;
  if (key !== repeatedHeader && keyForm.test(key)) return key;
  const message = 'Idempotency-Key must be sent once, with 1 to 255 visible ASCII characters and no spaces.';
  throw new AppError('REQUEST.MALFORMED', message);
}
