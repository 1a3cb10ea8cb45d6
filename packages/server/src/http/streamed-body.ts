import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { AppError } from '../lib/error.ts';
import type { RouteSchema, Streamed, TenantRoute } from './routes/tenant-route.ts';
import { compileValidator } from './validation.ts';

/** How long the next bytes of an upload may take. */
const stallMs = 30_000;
/** The minimum number of bytes per window; a slower upload is aborted. It equals 1 KiB/s. */
const window = { durationMs: 30_000, bytes: 30 * 1024 } as const;
/** How long the rest of a refused body is read and discarded, so that the caller can receive the response. */
const discardMs = 30_000;

/** Connections whose upload is limited by its rate instead of the server's limit on the duration of a request. */
const receiving = new WeakSet<Socket>();

/** Returns true while a streamed body is received over this connection. */
export function isReceiving(socket: Socket): boolean {
  return receiving.has(socket);
}

function streamedTypes(route: TenantRoute): readonly string[] | undefined {
  const body = (route.schema as RouteSchema | undefined)?.body as Streamed | undefined;
  return body?.content === undefined ? undefined : Object.keys(body.content);
}

/**
 * Registers a route. A route with a streamed body gets its own scope, so that no other route accepts its media types.
 */
export function registerRoute(app: FastifyInstance, route: TenantRoute): void {
  const types = streamedTypes(route);
  if (types === undefined) {
    app.route(route);
    return;
  }
  app.register((scope, _options, done) => {
    takeStreams(scope, types);
    scope.route(route);
    done();
  });
}

function takeStreams(scope: FastifyInstance, types: readonly string[]): void {
  const unsupported = (message: string) => new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', message);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser([...types], (request, payload, done) => {
    const { 'content-type': contentType = '', 'content-encoding': contentEncoding } = request.headers;
    const charset = /;\s*charset=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset)) done(unsupported('Send the body in UTF-8.'));
    else if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
      done(unsupported('Send the body uncompressed, without a Content-Encoding.'));
    } else done(null, payload);
  });
  scope.addContentTypeParser('*', (_request, _payload, done) => {
    done(unsupported(`Send the body with Content-Type: ${types.join(' or ')}.`));
  });
  // The handler validates the streamed body; all other parts of the request are validated as usual.
  scope.setValidatorCompiler<TSchema>((part) =>
    part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part),
  );
}

/** How `receiveBody` receives a body. */
export interface ReceiveOptions {
  readonly limitBytes: number;
  readonly onChunk: (chunk: Buffer) => void | Promise<void>;
}

/**
 * Passes the body of a streaming route to `onChunk`, chunk by chunk, as long as it arrives fast enough. If `onChunk`
 * throws, the rest of the body is discarded while the response is sent. Throws 415 without a body, 413 above the limit,
 * 408 if nothing or less than 30 KiB arrives in 30 s, 400 if the caller disconnects, and the errors of `onChunk`.
 */
export async function receiveBody(request: FastifyRequest, { limitBytes, onChunk }: ReceiveOptions): Promise<void> {
  const body = request.body as Readable | undefined;
  if (body === undefined || typeof body.iterator !== 'function') {
    throw new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', 'Send a body with its Content-Type.');
  }
  const announcedBytes = Number(request.headers['content-length'] ?? 0);
  const { socket } = request.raw;
  const watch = watchRate();
  receiving.add(socket);
  const chunks = body.iterator({ destroyOnReturn: false });
  try {
    if (announcedBytes > limitBytes) throw tooLarge(limitBytes);
    let receivedBytes = 0;
    for (;;) {
      const next = await watch.arrival(chunks.next()).catch(explainEnd);
      if (next.done) return;
      receivedBytes += next.value.length;
      if (receivedBytes > limitBytes) throw tooLarge(limitBytes);
      await onChunk(next.value);
    }
  } catch (error) {
    discardRest(request, body, chunks);
    throw error;
  } finally {
    watch.stop();
    receiving.delete(socket);
  }
}

/** Watches an upload. Only the time in which the service waits for bytes counts, not the time in which it works. */
function watchRate() {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  // It may reject while no chunk is awaited.
  tooSlow.catch(() => undefined);
  const abort = () => {
    reject(new AppError('REQUEST.TIMEOUT', 'The body arrived at less than 1 KiB/s. Send it again without pauses.'));
  };
  let bytes = 0;
  let isWaiting = false;
  const rate = setInterval(() => {
    if (isWaiting && bytes < window.bytes) abort();
    bytes = 0;
  }, window.durationMs);
  return {
    /** Waits for the next chunk. Rejects with 408 if it takes too long. */
    async arrival(next: Promise<IteratorResult<Buffer, unknown>>): Promise<IteratorResult<Buffer, unknown>> {
      isWaiting = true;
      const stall = setTimeout(abort, stallMs);
      try {
        const result = await Promise.race([next, tooSlow]);
        if (!result.done) bytes += result.value.length;
        return result;
      } finally {
        isWaiting = false;
        clearTimeout(stall);
      }
    },
    stop: () => clearInterval(rate),
  };
}

function explainEnd(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  throw new AppError('REQUEST.MALFORMED', 'The body ended before it was complete. Send it again.', { cause });
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('REQUEST.TOO_LARGE', `The body is too large. Send at most ${limitBytes / 1024 / 1024} MiB.`);
}

function discardRest(request: FastifyRequest, body: Readable, chunks: AsyncIterator<Buffer>): void {
  if (body.readableEnded || body.destroyed) return;
  body.on('error', () => undefined);
  // The stream does not flow while the iterator is attached. `return` never settles while the iterator awaits a chunk.
  chunks.return?.().then(
    () => body.resume(),
    () => undefined,
  );
  const cut = setTimeout(() => request.raw.destroy(), discardMs);
  cut.unref();
  body.once('close', () => clearTimeout(cut));
}

/**
 * Runs long work for a request whose body has been read, with the idle timeout of its connection suspended. `isGone`
 * returns true once the caller has disconnected, so that the work can stop.
 */
export async function answerSlowly<Result>(
  request: FastifyRequest,
  work: (isGone: () => boolean) => Promise<Result>,
): Promise<Result> {
  const { socket } = request.raw;
  const idleMs = request.server.server.timeout;
  socket.setTimeout?.(0);
  try {
    return await work(() => socket.destroyed);
  } finally {
    socket.setTimeout?.(idleMs);
  }
}
