import type { FastifyReply, FastifyRequest } from 'fastify';
import { logFailure, prepareFailure, toAppError } from '../../../http/error-handler.ts';
import type { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';

/** The service's error codes to OFREP's. Codes without an OFREP counterpart are sent unchanged. */
const ofrepCodes: Readonly<Record<string, string>> = {
  'FEATURE_FLAG.NOT_FOUND': 'FLAG_NOT_FOUND',
  'RESOURCE.NOT_FOUND': 'FLAG_NOT_FOUND',
  'FEATURE_FLAG.CONTEXT_INVALID': 'INVALID_CONTEXT',
  'VALIDATION.FAILED': 'INVALID_CONTEXT',
  'REQUEST.MALFORMED': 'PARSE_ERROR',
  'TENANT.SELECTION_REQUIRED': 'GENERAL',
  'INTERNAL.ERROR': 'GENERAL',
};

/** Sends a failure in the format of the OpenFeature Remote Evaluation Protocol (OFREP), without the API's envelope. */
export function sendOfrepFailure(
  logger: Services['logger'],
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown);
  logFailure(logger, request, error);
  prepareFailure(reply, error);
  // OFREP does not define 422.
  if (error.status === 422) reply.code(400);
  return reply.send(JSON.stringify(describe(error, request.params)));
}

/** Names the flag only where it is the flag that failed, as OFREP declares it: not for a refused credential. */
function describe({ code, status, message, details = [] }: AppError, params: unknown): object {
  const concernsFlag = status === 400 || status === 404 || status === 422;
  const { key } = concernsFlag ? (params as { readonly key?: string }) : {};
  const errorDetails = [message, ...details.map((detail) => `${detail.field} ${detail.message}.`)].join(' ');
  return { ...(key === undefined ? {} : { key }), errorCode: ofrepCodes[code] ?? code, errorDetails };
}
