import type { FastifyRequest } from 'fastify';
import { success } from '../../../http/envelope.ts';
import { repeatedHeader, singleHeader } from '../../../http/headers.ts';
import {
  type RouteSchema,
  type Scope,
  type TenantContext,
  type TenantRoute,
  tenantRoute,
} from '../../../http/routes/tenant-route.ts';
import { AppError } from '../../../lib/error.ts';
import { type Answer, type Creation, createOnce, type IdempotencyServices } from './service.ts';

interface CreatingRouteOptions<Schema extends RouteSchema, Created> {
  readonly url: string;
  readonly schema: Schema;
  readonly scope?: Scope;
  /** Makes the thing: on the tenant's database in one transaction, whose answer it answers. */
  readonly create: (context: TenantContext<Schema>) => Promise<Created>;
  /** The status and `data` of what was made. It runs inside the transaction: it only computes. */
  readonly answer: (created: Created) => Answer;
  /** Fields of `data` that are shown once: null in a replay. The response schema must allow that. */
  readonly secretFields?: readonly string[];
}

const keyForm = /^[\x21-\x7e]{1,255}$/;

/** A `POST` that creates, and does so once however often it is sent with the same `Idempotency-Key`. */
export function creatingRoute<const Schema extends RouteSchema, Created>(
  services: IdempotencyServices,
  options: CreatingRouteOptions<Schema, Created>,
): TenantRoute {
  const { create, answer, secretFields = [], ...rest } = options;
  return tenantRoute<Schema>({
    ...rest,
    method: 'POST',
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
  /** From `idempotencyKeyOf`; undefined: nothing is remembered. */
  readonly key: string | undefined;
  /** All that decides what the request does. */
  readonly input: unknown;
  readonly leaseSeconds?: number;
  readonly creation: Creation<Created>;
}

/** Runs a creation, at most once when the request names itself, and answers its status and envelope. */
export async function answerOnce<Schema extends RouteSchema, Created>(
  services: IdempotencyServices,
  { request, reply, tenant }: Pick<TenantContext<Schema>, 'request' | 'reply' | 'tenant'>,
  { key, creation, ...named }: NamedCreation<Created>,
) {
  if (key === undefined) {
    const { status, data } = creation.answer(await creation.create(tenant));
    reply.status(status);
    return success(request, data);
  }
  const { status, data, replayed } = await createOnce(
    services,
    tenant,
    { ...named, route: routeOf(request), key },
    creation,
  );
  reply.status(status);
  if (replayed) reply.header('idempotency-replayed', 'true');
  return success(request, data);
}

/** The pattern names the surface too, so the keys of users, of applications and of admins do not meet. */
function routeOf(request: Pick<FastifyRequest, 'method' | 'routeOptions'>): string {
  return `${request.method} ${request.routeOptions.url}`;
}

/** The `Idempotency-Key` of a request, if it has one. Throws 400 for one that is repeated or of a wrong form. */
export function idempotencyKeyOf(request: Pick<FastifyRequest, 'raw'>): string | undefined {
  const key = singleHeader(request as FastifyRequest, 'idempotency-key');
  if (key === undefined) return undefined;
  if (key !== repeatedHeader && keyForm.test(key)) return key;
  const message = 'Idempotency-Key must be sent once, with 1 to 255 visible ASCII characters and no spaces.';
  throw new AppError('REQUEST.MALFORMED', message);
}
