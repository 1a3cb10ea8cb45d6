import type { FastifyInstance } from 'fastify';
import { sendFailure } from './error-handler.ts';
import type { NotFoundError } from './not-found.ts';

const notFoundErrorOfApp = Symbol('not found error');

declare module 'fastify' {
  interface FastifyInstance {
    [notFoundErrorOfApp]: NotFoundError;
  }
}

/** Answers what no route of the whole application has: 404 or 405. */
export function answerUnknownPaths(app: FastifyInstance, notFoundError: NotFoundError): void {
  app.decorate(notFoundErrorOfApp, notFoundError);
  answerFrom(app);
}

/**
 * Lets the hooks of a scope with a prefix run for every path below it, before a path without a route is a 404 and a
 * method without a handler a 405: its guard says first who may know.
 */
export function guardUnknownPaths(scope: FastifyInstance): void {
  answerFrom(scope);
}

function answerFrom(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => sendFailure(request, reply, app[notFoundErrorOfApp](request)));
}
