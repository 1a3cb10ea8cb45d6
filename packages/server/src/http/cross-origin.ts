import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The CORS permissions of scripts from an allowed origin. */
const permissions = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: [
    'X-Request-ID',
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

const anyOrigin: FastifyCorsOptions = { ...permissions, origin: '*' };
const noOrigin: FastifyCorsOptions = { origin: false };

/** Lets scripts of every origin call the open paths, and scripts of `origins` call the others. */
export async function allowOrigins(http: FastifyInstance, origins: readonly string[]): Promise<void> {
  const listed: FastifyCorsOptions = origins.length === 0 ? noOrigin : { ...permissions, origin: [...origins] };
  const optionsOf = ({ headers, raw }: FastifyRequest): FastifyCorsOptions => {
    if (!openPath.test(raw.url ?? '')) return listed;
    // Applications that are no browsers need no headers for scripts. `Vary` separates the two in caches.
    return headers.origin === undefined ? noOrigin : anyOrigin;
  };
  await http.register(cors, {
    delegator: (request: FastifyRequest, callback: (error: Error | null, options?: FastifyCorsOptions) => void) =>
      callback(null, optionsOf(request)),
  });
}
