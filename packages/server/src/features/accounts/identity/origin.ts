import type { FastifyRequest } from 'fastify';
import type { Origin } from './service.ts';

/** What the audit log says of a request before anybody is authenticated. */
export function originOf(request: FastifyRequest): Origin {
  return { requestId: request.id, ip: request.ip };
}
