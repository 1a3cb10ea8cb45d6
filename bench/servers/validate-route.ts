import { KeyParams } from '../../packages/server/src/features/licensing/licenses/schemas.ts';
import { ValidateLicense, Verdict } from '../../packages/server/src/features/licensing/validation/schemas.ts';
import { Envelope } from '../../packages/server/src/http/envelope.ts';
import { serialisable } from '../../packages/server/src/http/response-schema.ts';

export const validatePath = '/api/v1/integration/licenses/:key/validate';

const request = { params: KeyParams, body: ValidateLicense };

/** The schemas as the route declares them, for Fastify's own validator and serialiser: what a bare route would have. */
export const declaredSchemas = { ...request, response: { 200: Envelope(Verdict) } };

/** The same with the response schema as the service simplifies it, which is part of what makes the service fast. */
export const simplifiedSchemas = { ...request, response: { 200: serialisable(Envelope(Verdict)) } };
