import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFailure } from './error-handler.ts';
import type { NotFoundError } from './not-found.ts';

const notFoundErrorOfApp = Symbol('not found error');

declare module 'fastify' {
  interface FastifyInstance {
    [notFoundErrorOfApp]: NotFoundError;
  }
}

/** Sends a page to a browser that opens an unknown path. Returns undefined if the request gets the error envelope. */
export type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/** Responds to requests that match no route of the application, with 404 or 405. */
export function answerUnknownPaths(
  app: FastifyInstance,
  notFoundError: NotFoundError,
  unknownPage: UnknownPage = () => undefined,
): void {
  app.decorate(notFoundErrorOfApp, notFoundError);
  app.setNotFoundHandler((request, reply) => unknownPage(request, reply) ?? sendNotFound(request, reply));
}

/**
 * Runs the hooks of a scope for every path below its prefix, including unknown ones, so that the scope's guard refuses
 * unauthorised callers before a 404 or 405 reveals which routes exist.
 */
export function guardUnknownPaths(scope: FastifyInstance): void {
  scope.setNotFoundHandler(sendNotFound);
}

/** Responds with the 404 or 405 of a request that no route of the application handles. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendFailure(request, reply, request.server[notFoundErrorOfApp](request));
}
