import type { RouteOptions } from 'fastify';
import { publicRoute } from '../../../http/routes/public-route.ts';
import type { Services } from '../../../services.ts';
import { Jwks, JwksParams } from './schemas.ts';
import { publicKeys } from './service.ts';

/** Long enough to spare the service, short enough that nobody waits long for a new key. */
const maxAgeSeconds = 300;

/** What anybody needs to verify a tenant's certificates. Whole paths. */
export function signingKeyRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute({
      method: 'GET',
      url: '/api/v1/tenants/:tenantId/jwks.json',
      schema: {
        summary: 'Read the public signing keys of a tenant',
        tags: ['Integration'],
        description:
          'A JWK Set (RFC 7517) without an envelope: the keys that verify offline certificates, the active one first. ' +
          'A suspended tenant has them too.',
        params: JwksParams,
        response: { 200: Jwks },
      },
      async handler({ request, reply }) {
        const keys = await publicKeys(services, request.params.tenantId);
        reply.header('cache-control', `public, max-age=${maxAgeSeconds}`);
        return { keys };
      },
    }),
  ];
}
