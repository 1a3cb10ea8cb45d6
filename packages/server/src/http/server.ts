import type { IncomingMessage } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import { continueTrace, formatTraceparent, parseTraceparent } from '../tracing/trace-context.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { largestLimitBytes, limitBodies } from './body-limits.ts';
import { Caller } from './caller.ts';
import { type HandledRequests, limitConnections } from './connection-limit.ts';
import {
  clientErrorHandler,
  errorHandler,
  type FailureFormat,
  sendFailure,
  toAppError,
  useFailureFormat,
} from './error-handler.ts';
import { createFailureLog } from './failure-log.ts';
import { cleanForwardedFor } from './forwarded-for.ts';
import { requestIdOf, type StaticHeaders, staticHeaders } from './headers.ts';
import { type HeldLoopWatch, watchHeldLoop } from './held-loop.ts';
import { useJsonBodies } from './json-parser.ts';
import { routing, watchRoutes } from './not-found.ts';
import { createRequestLog } from './request-log.ts';
import { compileSerializer } from './serializer.ts';
import { refuseStalledBodies, type StalledBodies } from './stalled-bodies.ts';
import { hostError, urlError } from './strict-requests.ts';
import { answerUnknownPaths, type UnknownPage } from './unknown-paths.ts';
import { compileValidator } from './validation.ts';

/** Returns the path and query that a request is routed by. */
export type RewriteUrl = (request: Pick<IncomingMessage, 'headers' | 'url'>) => string;

/** The options of the HTTP server. */
export interface HttpServerOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Sends a span of each request; absent or null: none is sent. */
  readonly tracing?: Tracing | null;
  /** Addresses or CIDRs of the proxies whose `X-Forwarded-For` is trusted; false trusts none. */
  readonly trustProxy: boolean | string | string[];
  /** Callers reach the service over TLS (`PUBLIC_URL` starts with https). */
  readonly https: boolean;
  /** Whether the line of a request in the log has the client's address; absent: yes. */
  readonly logsAddresses?: boolean;
  /** The failures of paths that follow a standard with its own format; absent: no path has its own format. */
  readonly failureFormat?: FailureFormat;
  /** The page of unknown paths; absent: they get the error envelope. */
  readonly unknownPage?: UnknownPage | undefined;
  /** Routes requests by another path than theirs; absent: none. */
  readonly rewriteUrl?: RewriteUrl;
  /** The maximum number of open connections; absent: the limit of the system. */
  readonly connectionsMax?: number;
  /** Replaces limits on slow callers, for tests. */
  readonly callerLimits?: Partial<CallerLimits>;
}

/**
 * Limits on slow callers, so that no connection stays open without enough traffic. Node checks the limits on headers
 * and requests every `checkMs`, so they may be exceeded by that much.
 */
const defaultCallerLimits = {
  /** From the start of a connection, or of a further request on it, to the end of the headers. */
  headersMs: 10_000,
  /** Without a byte of the body. */
  bodyStallMs: 30_000,
  /** The whole request, except a streamed upload, which has a minimum rate instead. */
  requestMs: 60_000,
  /** Without any byte in either direction while a request is being handled. */
  connectionIdleMs: 90_000,
  /** Between two requests. */
  keepAliveMs: 72_000,
  checkMs: 5_000,
} as const;

/** The limits on slow callers in milliseconds. */
export type CallerLimits = { readonly [Name in keyof typeof defaultCallerLimits]: number };

/**
 * Creates the HTTP server without routes, with all conventions of the API: request ids, headers, strict JSON,
 * validation, the error envelope, 404 and 405, metrics and one log line per request.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { logger, metrics, trustProxy, tracing = null } = options;
  const limits: CallerLimits = { ...defaultCallerLimits, ...options.callerLimits };
  const headers = staticHeaders(options);
  const app = fastify({
    // Our log line contains the route pattern; Fastify's own lines contain the URL, and with it license keys.
    loggerInstance: withoutChildren(logger) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy,
    genReqId: requestIdOf,
    ...(options.rewriteUrl && { rewriteUrl: options.rewriteUrl }),
    bodyLimit: largestLimitBytes,
    routerOptions: routing,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.connectionIdleMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      // A missing Host header is refused below, with the envelope.
      requireHostHeader: false,
    },
    // A request that arrives during a stop, on a connection that is still open, is served like those in flight.
    return503OnClosing: false,
    clientErrorHandler: clientErrorHandler(headers),
    frameworkErrors(error, request, reply) {
      reply.headers(headers).header('x-request-id', request.id);
      sendFailure(request, reply, toAppError(error, request));
    },
  });
  // Node would answer an unknown expectation without our headers; RFC 9110, section 10.1.1 allows a server to ignore
  // it.
  app.server.on('checkExpectation', (message, response) => app.routing(message, response));

  useFailureFormat(app, options.failureFormat ?? (() => undefined));
  const notFoundError = watchRoutes(app);
  limitBodies(app);
  const bodies = refuseStalledBodies(app, limits.bodyStallMs);
  const handled =
    options.connectionsMax === undefined
      ? undefined
      : limitConnections(app, { max: options.connectionsMax, metrics: metrics.connections, logger });
  const loop = watchHeldLoop(app, { logger, countHold: (route) => metrics.eventLoopHolds.increment(route) });
  beginRequests(app, { handled, bodies, loop, headers, tracing, isBehindProxy: trustProxy !== false });
  endRequests(app, { handled, loop }, options);
  useJsonBodies(app, loop.begin);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  const failures = createFailureLog(logger);
  app.addHook('onClose', (_app, done) => {
    failures.close();
    done();
  });
  app.setErrorHandler(errorHandler({ failures, notFoundError }));
  answerUnknownPaths(app, notFoundError, options.unknownPage);
  return app;
}

/**
 * Returns a logger whose children are itself: no code logs through a request, so all requests share one logger. Fastify
 * would check at each request what another `childLoggerFactory` returns.
 */
function withoutChildren(logger: Logger): Logger {
  const shared: Logger = Object.create(logger, { child: { value: () => shared } });
  return shared;
}

const stopping = new WeakSet<FastifyInstance['server']>();

/**
 * Announces that a server will stop: each response from now on ends its connection, so that clients open their next one
 * elsewhere.
 */
export function announceStop({ server }: FastifyInstance): void {
  stopping.add(server);
}

/** Returns true from the announcement of a server's stop, or else from its beginning. */
export function isStopping({ server }: FastifyInstance): boolean {
  return stopping.has(server);
}

interface RequestBeginnings {
  readonly handled: HandledRequests | undefined;
  readonly bodies: StalledBodies;
  readonly loop: HeldLoopWatch;
  readonly headers: StaticHeaders;
  readonly tracing: Tracing | null;
  /** True if a proxy is trusted to name the caller's address. */
  readonly isBehindProxy: boolean;
}

/** The only general hook before a request: sets the response headers and refuses requests that no route may receive. */
function beginRequests(
  app: FastifyInstance,
  { handled, bodies, loop, headers, tracing, isBehindProxy }: RequestBeginnings,
): void {
  app.decorateRequest('caller');
  app.addHook('preClose', (done) => {
    announceStop(app);
    done();
  });
  // One hook in callback style: a promise per request and hook would cost more than the work itself.
  app.addHook('onRequest', (request, reply, done) => {
    loop.begin(request);
    request.caller = new Caller();
    if (isBehindProxy) cleanForwardedFor(request.raw.headers);
    handled?.begin(request.raw);
    bodies.begin(request);
    for (const name in headers) reply.header(name, headers[name]);
    reply.header('x-request-id', request.id);
    if (isStopping(app)) reply.header('connection', 'close');
    joinTrace(tracing, request, reply);
    done(hostError(request.raw) ?? urlError(request));
  });
}

/**
 * Continues the trace of a caller that sends a valid `traceparent`, and names it in the response. With tracing, every
 * other request begins a trace.
 */
function joinTrace(tracing: Tracing | null, request: FastifyRequest, reply: FastifyReply): void {
  const header = request.headers['traceparent'];
  const parent = header === undefined ? undefined : parseTraceparent(header);
  if (parent === undefined && tracing === null) return;
  const span = tracing?.start(request.method, 'server', parent);
  const trace = span?.context ?? (parent === undefined ? undefined : continueTrace(parent));
  if (trace === undefined) return;
  request.caller.span = span;
  request.caller.trace = trace;
  reply.header('traceparent', formatTraceparent(trace));
}

/** The route label of requests that match no route. */
const unmatched = 'unmatched';

/**
 * The only general hook after a request: times it and (at level info) logs it with the pattern of its route, never with its
 * URL, because URLs contain license keys.
 */
function endRequests(
  app: FastifyInstance,
  { handled, loop }: Pick<RequestBeginnings, 'handled' | 'loop'>,
  { logger, metrics, logsAddresses = true }: HttpServerOptions,
): void {
  const log = createRequestLog(logger);
  app.addHook('onResponse', (request, reply, done) => {
    loop.end(request);
    const { id, method } = request;
    const { url: route = unmatched } = request.routeOptions;
    const { statusCode: status, elapsedTime: durationMs } = reply;
    const { record, credentialId, span } = request.caller;
    handled?.end(request.raw);
    metrics.observeRequest({ method, route, status }, durationMs);
    const address = logsAddresses ? (request.caller.actor?.ip ?? request.ip) : null;
    log({ id, method, route, status, durationMs, address, caller: request.caller });
    span?.end({
      name: `${method} ${route}`,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'licensing.tenant.id': record?.id,
        'licensing.credential.id': credentialId,
        'licensing.request.id': id,
      },
      isFailure: status >= 500,
    });
    done();
  });
}

const pollIntervalMs = 50;
/** Less than the 10 s that a whole stop may take, because buffered data is written afterwards. */
const requestsGraceMs = 8_000;

/**
 * Stops accepting connections and waits for the requests in flight, for at most 8 s. It also closes connections that
 * become idle meanwhile: Node closes only those that are idle at the start, so one keep-alive connection would delay
 * the stop.
 */
export async function finishRequests(http: FastifyInstance): Promise<void> {
  const idle = setInterval(() => http.server.closeIdleConnections(), pollIntervalMs);
  const deadline = setTimeout(() => http.server.closeAllConnections(), requestsGraceMs);
  try {
    await http.close();
  } finally {
    clearInterval(idle);
    clearTimeout(deadline);
  }
}
