import type { FastifyInstance, FastifyRequest } from 'fastify';

const tenantId = Symbol('tenant id');
const credentialId = Symbol('credential id');

declare module 'fastify' {
  interface FastifyRequest {
    [tenantId]: string | null;
    [credentialId]: string | null;
  }
}

/** Prepares the requests of an application for `noteTenant` and `noteCredential`. */
export function decorateCallers(app: FastifyInstance): void {
  app.decorateRequest(tenantId, null);
  app.decorateRequest(credentialId, null);
}

/** Names the tenant of a request in its log lines, also if the tenant then refuses the request. */
export function noteTenant(request: FastifyRequest, id: string): void {
  request[tenantId] = id;
}

/** Names the accepted credential of a request in its log lines: an API key, an access token or a session. */
export function noteCredential(request: FastifyRequest, id: string): void {
  request[credentialId] = id;
}

/** Returns the id of the request's tenant, or undefined, which the log leaves out. */
export function tenantIdOf(request: FastifyRequest): string | undefined {
  return request[tenantId] ?? undefined;
}

/** Returns the id of the request's credential, or undefined, which the log leaves out. */
export function credentialIdOf(request: FastifyRequest): string | undefined {
  return request[credentialId] ?? undefined;
}
