import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable, TenantMovingError } from '../db/errors.ts';
import { AppError, type ErrorDetail } from '../lib/error.ts';
import { newId } from '../lib/ids.ts';
import { largestLimitBytes, sizeInWords } from './body-limits.ts';
import { apiVersion } from './envelope.ts';
import type { FailureLog } from './failure-log.ts';
import type { StaticHeaders } from './headers.ts';
import type { NotFoundError } from './not-found.ts';
import { isReceiving } from './streamed-body.ts';
import { closesUnread, sendBeforeRest } from './unread-bodies.ts';
import { UnknownPathError } from './validation.ts';

/** Builds the body of every failure: `{ error, meta }`. */
function failure(requestId: string, error: AppError) {
  const { code, message, details } = error;
  return {
    error: { code, message, ...(details === undefined ? {} : { details }) },
    meta: { request_id: requestId, api_version: apiVersion },
  } as const;
}

/** Builds the 503 `SERVICE.UNAVAILABLE` with `Retry-After: 1`. */
export function serviceUnavailable(cause?: unknown, details?: readonly ErrorDetail[]): AppError {
  return new AppError(
    'SERVICE.UNAVAILABLE',
    'The service is temporarily unavailable. Send the request again shortly.',
    {
      headers: { 'retry-after': '1' },
      cause,
      ...(details && { details }),
    },
  );
}

/** How long the move of a small tenant takes. */
const movingSeconds = 2;

function tenantMoving(cause: TenantMovingError): AppError {
  return new AppError(
    'TENANT.MOVING',
    'This tenant is being moved to another database and accepts no changes meanwhile. Send the request again shortly.',
    { headers: { 'retry-after': String(movingSeconds) }, cause: cause.cause },
  );
}

const malformed = () =>
  new AppError('REQUEST.MALFORMED', 'The request is not valid HTTP or JSON. Correct it and send it again.');

/** Converts Fastify's errors by code. Codes not listed here are converted by their status. */
const frameworkErrors: Readonly<Record<string, (request?: FastifyRequest) => AppError>> = {
  FST_ERR_BAD_URL: () =>
    new AppError('REQUEST.MALFORMED', 'The URL is not valid. Percent-encode its path as UTF-8 (RFC 3986).'),
  FST_ERR_CTP_BODY_TOO_LARGE: (request) => {
    const limit = sizeInWords(request?.routeOptions.bodyLimit ?? largestLimitBytes);
    return new AppError('REQUEST.TOO_LARGE', `The body is too large. Send at most ${limit}.`);
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON with Content-Type: application/json.'),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new AppError('REQUEST.URI_TOO_LONG', 'A segment of the path is too long. Send at most 512 characters.'),
};

interface CodedError {
  readonly code?: unknown;
  readonly statusCode?: unknown;
}

function fromFramework(error: CodedError, request: FastifyRequest | undefined): AppError | undefined {
  const known = typeof error.code === 'string' ? frameworkErrors[error.code] : undefined;
  if (known !== undefined) return known(request);
  // Node's parser and Fastify set a 4xx status for errors of the caller; our own code throws only AppError for these.
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? malformed() : undefined;
}

/** Converts any thrown value to the error that the caller may see; an unexpected one becomes an opaque 500. */
export function toAppError(thrown: unknown, request?: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof TenantMovingError) return tenantMoving(thrown);
  if (isUnavailable(thrown)) return serviceUnavailable(thrown);
  const coded = typeof thrown === 'object' && thrown !== null ? fromFramework(thrown, request) : undefined;
  if (coded !== undefined) return coded;
  return new AppError('INTERNAL.ERROR', 'Unexpected error. If it persists, send the request id to support.', {
    cause: thrown,
  });
}

/** A failure in the format of a standard. */
export interface ForeignFailure {
  readonly status: number;
  readonly body: object;
}

/** Returns the failure of a path that follows a standard with its own format; undefined for every other path. */
export type FailureFormat = (request: FastifyRequest, error: AppError) => ForeignFailure | undefined;

const failureFormat = Symbol('failure format');

declare module 'fastify' {
  interface FastifyInstance {
    [failureFormat]: FailureFormat;
  }
}

/** Sets the format of failures of paths that follow a standard. */
export function useFailureFormat(app: FastifyInstance, format: FailureFormat): void {
  app.decorate(failureFormat, format);
}

/** Sends a failure with the status and headers of its code. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  if (error.headers !== undefined) reply.headers(error.headers);
  // RFC 9110, section 11.6.1: a 401 names the scheme that would be accepted.
  if (error.code === 'AUTH.INVALID_TOKEN') reply.header('www-authenticate', 'Bearer');
  const foreign = request.server[failureFormat](request, error);
  reply.code(foreign?.status ?? error.status).type('application/json; charset=utf-8');
  // As text, because the schema of a success must not change a failure.
  const body = foreign === undefined ? failure(request.id, error) : JSON.stringify(foreign.body);
  // After a timeout nothing more is awaited.
  const readsRest = error.code !== 'REQUEST.TIMEOUT' && closesUnread(request, reply);
  return readsRest ? sendBeforeRest(request, reply, body) : reply.send(body);
}

interface ErrorHandlerOptions {
  readonly failures: FailureLog;
  readonly notFoundError: NotFoundError;
}

/** Returns the error handler, the only place that converts a thrown value to a response. */
export function errorHandler({ failures, notFoundError }: ErrorHandlerOptions) {
  /** Converts the 404 of an invalid id to a 405 if the path is a route of its own with other methods. */
  const explain = (error: AppError, request: FastifyRequest): AppError => {
    if (!(error instanceof UnknownPathError)) return error;
    const notFound = notFoundError(request);
    return notFound.code === 'ROUTE.METHOD_NOT_ALLOWED' ? notFound : error;
  };
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const code = (thrown as CodedError | undefined)?.code;
    // An unknown path is a 404 even if its body cannot be parsed.
    const isBodyOfUnknownPath = request.is404 && typeof code === 'string' && code.startsWith('FST_ERR_CTP_');
    const error = isBodyOfUnknownPath ? notFoundError(request) : explain(toAppError(thrown, request), request);
    request.caller.code = error.code;
    failures.log(request, error);
    return sendFailure(request, reply, error);
  };
}

function connectionFailure(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('REQUEST.HEADERS_TOO_LARGE', 'The URL and headers are too large. Send at most 16 KiB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('REQUEST.TOO_LARGE', 'The chunk extensions are too large. Leave them out.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('REQUEST.TIMEOUT', 'The request took too long to arrive. Send it again without pauses.');
    default:
      return new AppError('REQUEST.MALFORMED', 'This is not a valid HTTP/1.1 request. Correct it and send it again.');
  }
}

/**
 * Returns the handler for input that Node's HTTP parser refuses before a request exists (malformed, too large or too
 * slow). It responds with the envelope and headers of every other failure and closes the connection.
 */
export function clientErrorHandler(headers: StaticHeaders) {
  return (thrown: NodeJS.ErrnoException, socket: Socket): void => {
    // https://nodejs.org/api/http.html#event-clienterror: the caller disconnected, or a response was already sent.
    if (thrown.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // `receiveBody` limits streamed uploads by their rate instead of their total time.
    if (thrown.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isReceiving(socket)) return;
    const error = connectionFailure(thrown.code);
    const requestId = newId();
    const body = JSON.stringify(failure(requestId, error));
    const head = [
      `HTTP/1.1 ${error.status} ${nodeHttp.STATUS_CODES[error.status]}`,
      'connection: close',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  };
}

/**
 * `node:http`. An import statement would read every export of it, and one of them loads the library behind `fetch`,
 * which takes 70 ms and 16 MiB at each start.
 */
const nodeHttp = process.getBuiltinModule('node:http');
