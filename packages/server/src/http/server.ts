import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { AppError } from '../lib/error.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { clientErrorHandler } from './client-errors.ts';
import { errorHandler, sendFailure, serviceUnavailable, toAppError } from './error-handler.ts';
import { requestIdOf, type StaticHeaders, staticHeaders } from './headers.ts';
import { useJsonBodies } from './json-parser.ts';
import { routing, watchRoutes } from './not-found.ts';
import { observeResponses } from './observe.ts';
import { compileSerializer } from './serializer.ts';
import { controlCharacterError, refuseUnknownFields } from './strict-requests.ts';
import { answerUnknownPaths } from './unknown-paths.ts';
import { compileValidator } from './validation.ts';

/** The options of the HTTP server. */
export interface HttpServerOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Addresses or CIDRs of the proxies whose `X-Forwarded-For` is trusted; false trusts none. */
  readonly trustProxy: boolean | string | string[];
  /** Callers reach the service over TLS (`PUBLIC_URL` starts with https). */
  readonly https: boolean;
}

const bodyLimitBytes = 1024 * 1024;

/** Limits on slow callers, so that no connection stays open without enough traffic. */
const timeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  connectionIdleMs: 90_000,
  keepAliveMs: 72_000,
} as const;

/**
 * Creates the HTTP server without routes, with all conventions of the API: request ids, headers, strict JSON,
 * validation, the error envelope, 404 and 405, metrics and one log line per request.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { logger, metrics, trustProxy } = options;
  const headers = staticHeaders(options);
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // Our log line contains the route pattern; Fastify's own lines contain the URL, and with it license keys. No code
    // logs through a request, so requests share the parent logger.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy,
    genReqId: requestIdOf,
    bodyLimit: bodyLimitBytes,
    routerOptions: routing,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.connectionIdleMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    // A missing Host header is refused below, with the envelope.
    http: { headersTimeout: timeouts.headersMs, requireHostHeader: false },
    // Requests that arrive during a shutdown are refused below, with the envelope.
    return503OnClosing: false,
    clientErrorHandler: clientErrorHandler(headers),
    frameworkErrors(error, request, reply) {
      reply.headers(headers).header('x-request-id', request.id);
      sendFailure(request, reply, toAppError(error));
    },
  });
  // Node would answer an unknown expectation without our headers; RFC 9110, section 10.1.1 allows a server to ignore
  // it.
  app.server.on('checkExpectation', (message, response) => app.routing(message, response));

  const notFoundError = watchRoutes(app);
  refuseUnknownFields(app);
  checkRequests(app, headers);
  observeResponses(app, logger, metrics);
  useJsonBodies(app);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setErrorHandler(errorHandler({ logger, notFoundError }));
  answerUnknownPaths(app, notFoundError);
  return app;
}

/** The only hook before every request: sets the response headers and refuses requests that no route may receive. */
function checkRequests(app: FastifyInstance, headers: StaticHeaders): void {
  let stopping = false;
  app.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  // One hook in callback style: a promise per request and hook would cost more than the work itself.
  app.addHook('onRequest', (request, reply, done) => {
    for (const name in headers) reply.header(name, headers[name]);
    reply.header('x-request-id', request.id);
    if (stopping) return done(serviceUnavailable());
    if (request.raw.headers.host === undefined && request.raw.httpVersion === '1.1') {
      // RFC 9112, section 3.2.
      return done(new AppError('REQUEST.MALFORMED', 'The Host header is missing. Send it with the request.'));
    }
    done(controlCharacterError(request.raw.url ?? '/'));
  });
}
