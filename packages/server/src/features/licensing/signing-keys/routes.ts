import type { RouteOptions } from 'fastify';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { idOrText } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { Jwks, JwksParams } from './schemas.ts';
import { publicKeys } from './service.ts';

/** Limits requests for the key set, and delays the publication of a new key by 300 s at most. */
const maxAgeSeconds = 300;

/** Registers the public route of the keys that verify a tenant's certificates, without a prefix. */
export function signingKeyRoutes(services: Services): RouteOptions[] {
  return [
    publicRoute('GET', '/api/v1/tenants/:tenantId/jwks.json', {
      operationId: 'getJwks',
      summary: 'Read the public signing keys of a tenant',
      tags: ['Integration'],
      errors: ['TENANT.NOT_FOUND'],
      description:
        'A JWK Set (RFC 7517) without an envelope. It contains the keys that verify offline certificates and signed ' +
        'verdicts, the active one first. The keys of a suspended tenant stay available.',
      params: JwksParams,
      response: { 200: Jwks },
      async handler({ request, reply }) {
        const keys = await publicKeys(services, idOrText(request.params.tenantId));
        reply.header('cache-control', `public, max-age=${maxAgeSeconds}`);
        return { keys };
      },
    }),
  ];
}
