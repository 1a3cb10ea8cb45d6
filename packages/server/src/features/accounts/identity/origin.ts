import type { FastifyRequest } from 'fastify';
import type { Origin } from './service.ts';

/** Returns the request id and the client address, which the audit log records for unauthenticated requests too. */
export function originOf(request: FastifyRequest): Origin {
  return { requestId: request.id, ip: request.ip };
}
