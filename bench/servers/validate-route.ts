import { KeyParams } from '../../packages/server/src/features/licensing/licenses/schemas.ts';
import { ValidateLicense, Verdict } from '../../packages/server/src/features/licensing/validation/schemas.ts';
import { Envelope } from '../../packages/server/src/http/envelope.ts';
import { serialisable } from '../../packages/server/src/http/response-schema.ts';

export const validatePath = '/api/v1/integration/licenses/:key/validate';

const request = { params: KeyParams, body: ValidateLicense };

/** The schemas of the route with Fastify's own validator and serialiser, as a bare route has them. */
export const declaredSchemas = { ...request, response: { 200: Envelope(Verdict) } };

/** The same with the response schema that the service simplifies for speed. */
export const simplifiedSchemas = { ...request, response: { 200: serialisable(Envelope(Verdict)) } };
