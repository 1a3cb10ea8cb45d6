import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendNotFound } from './unknown-paths.ts';

/** The CORS permissions of scripts from an allowed origin. */
const permissions = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: [
    'X-Request-ID',
    'traceparent',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'Idempotency-Replayed',
    'ETag',
  ],
  maxAge: 600,
  // In strict mode the plugin refuses an OPTIONS request that is not a preflight with plain text, without the envelope.
  strictPreflight: false,
} satisfies FastifyCorsOptions;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False: the plugin for `allowOrigins` leaves the route alone. */
    readonly cors?: false;
  }
}

/**
 * Lets scripts of every origin call the routes of a scope: its credentials ship with applications, so they are public,
 * and no browser adds any of its own, because the service has no cookies. Call it before the scope has a guard: a
 * preflight has no credentials.
 */
export function allowAnyOrigin(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, cors: false };
    const hasPreflight = route.method === 'OPTIONS' || scope.hasRoute({ method: 'OPTIONS', url: route.url });
    if (!hasPreflight) scope.options(route.routePath, { schema: { hide: true } }, sendNotFound);
  });
  scope.addHook('onRequest', (request, reply, done) => {
    if (!answerPreflight(request, reply)) done();
  });
}

/** Lets scripts of `origins` call all routes, except those of the scopes that allow any origin. */
export async function allowOrigins(http: FastifyInstance, origins: readonly string[]): Promise<void> {
  // The plugin adds a route for OPTIONS of every path, which is not needed without origins.
  if (origins.length > 0) await http.register(cors, { ...permissions, origin: [...origins] });
}

/** Adds the headers for scripts of any origin. Answers a preflight and then returns true. */
function answerPreflight({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  // Applications other than browsers need no headers for scripts. `Vary` separates the two in caches.
  reply.header('vary', 'Origin');
  if (headers.origin === undefined) return false;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', permissions.exposedHeaders.join(', '));
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  reply.header('access-control-allow-methods', permissions.methods.join(', '));
  reply.header('access-control-allow-headers', headers['access-control-request-headers'] ?? '');
  reply.header('access-control-max-age', permissions.maxAge);
  reply.code(204).send();
  return true;
}
