import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

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

/**
 * The paths that scripts of every origin may call: the Integration API, feature flags and key sets. Their credentials
 * ship with applications, so they are public, and no browser adds any of its own: the service has no cookies.
 */
const openPath = /^\/(?:api\/v1\/integration\/|ofrep\/v1\/|api\/v1\/tenants\/[^/?]+\/jwks\.json(?:\?|$))/;

const noOrigin: FastifyCorsOptions = { origin: false };

/** Lets scripts of every origin call the open paths, and scripts of `origins` call the others. */
export async function allowOrigins(http: FastifyInstance, origins: readonly string[]): Promise<void> {
  http.addHook('onRequest', (request, reply, done) => {
    if (!isOpen(request)) done();
    else if (!allowAnyOrigin(request, reply)) done();
  });
  // The plugin adds a route for OPTIONS of every path, which comes before the guards of the surfaces. Without origins
  // it is not needed.
  if (origins.length === 0) return;
  const listed: FastifyCorsOptions = { ...permissions, origin: [...origins] };
  await http.register(cors, {
    delegator: (request: FastifyRequest, callback: (error: Error | null, options?: FastifyCorsOptions) => void) =>
      callback(null, isOpen(request) ? noOrigin : listed),
  });
}

const isOpen = ({ raw }: FastifyRequest) => openPath.test(raw.url ?? '');

/** Adds the headers for scripts of any origin. Answers a preflight and then returns true. */
function allowAnyOrigin({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  // Applications that are no browsers need no headers for scripts. `Vary` separates the two in caches.
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
