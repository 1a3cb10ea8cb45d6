import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { AppError } from '../lib/error.ts';
import type { RouteSchema, Streamed, TenantRoute } from './routes/tenant-route.ts';
import { compileValidator } from './validation.ts';

/** Within each window so many bytes must come, or the upload is given up: 1 KiB per second. */
const window = { durationMs: 30_000, bytes: 30 * 1024 } as const;
/** How long what is still sent after a refusal is read and thrown away, so that the caller gets to read the answer. */
const discardMs = 30_000;

/** Connections whose upload is watched here instead of by the server's limit on the time of a whole request. */
const receiving = new WeakSet<Socket>();

/** True while a streamed body comes in over this connection. */
export function isReceiving(socket: Socket): boolean {
  return receiving.has(socket);
}

function streamedTypes(route: TenantRoute): readonly string[] | undefined {
  const body = (route.schema as RouteSchema | undefined)?.body as Streamed | undefined;
  return body?.content === undefined ? undefined : Object.keys(body.content);
}

/** Registers a route; one with a streamed body in a scope of its own, so that no other route takes its media types. */
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
      done(unsupported('Send the body as it is, without a Content-Encoding.'));
    } else done(null, payload);
  });
  scope.addContentTypeParser('*', (_request, _payload, done) => {
    done(unsupported(`Send the body with Content-Type: ${types.join(' or ')}.`));
  });
  // What comes is checked by whoever reads it; everything else of the request as ever.
  scope.setValidatorCompiler<TSchema>((part) =>
    part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part),
  );
}

export interface ReceiveOptions {
  readonly limitBytes: number;
  readonly onChunk: (chunk: Buffer) => void | Promise<void>;
}

/**
 * Reads the body of a route that takes streams, chunk by chunk, for as long as bytes keep coming. When `onChunk` throws
 * nothing more is handed on, and the rest is thrown away while the answer is sent. Throws 415 without a body, 413 above
 * the limit, 408 when too little comes, 400 when the caller goes away.
 */
export async function receiveBody(request: FastifyRequest, { limitBytes, onChunk }: ReceiveOptions): Promise<void> {
  const body = request.body as Readable | undefined;
  if (body === undefined || typeof body.iterator !== 'function') {
    throw new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', 'Send a body with the Content-Type of what is in it.');
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  const { socket } = request.raw;
  const watch = watchRate();
  receiving.add(socket);
  const chunks = body.iterator({ destroyOnReturn: false });
  try {
    if (announced > limitBytes) throw tooLarge(limitBytes);
    let receivedBytes = 0;
    for (;;) {
      const next = await Promise.race([chunks.next(), watch.tooSlow]).catch(explainEnd);
      if (next.done) return;
      receivedBytes += next.value.length;
      if (receivedBytes > limitBytes) throw tooLarge(limitBytes);
      watch.count(next.value.length);
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

function watchRate() {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  // It may be rejected while nobody waits for a chunk.
  tooSlow.catch(() => undefined);
  let bytes = 0;
  const timer = setInterval(() => {
    if (bytes < window.bytes) {
      reject(new AppError('REQUEST.TIMEOUT', 'Too little of the body came in 30 s. Send it again without pauses.'));
    }
    bytes = 0;
  }, window.durationMs);
  return {
    tooSlow,
    count(length: number) {
      bytes += length;
    },
    stop: () => clearInterval(timer),
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
  // As long as the iterator listens the stream does not flow. One that waits for a chunk in vain never ends.
  chunks.return?.().then(
    () => body.resume(),
    () => undefined,
  );
  const cut = setTimeout(() => request.raw.destroy(), discardMs);
  cut.unref();
  body.once('close', () => clearTimeout(cut));
}

/**
 * Runs long work on a request whose body has been read: its connection may stay silent meanwhile. `isGone` tells
 * whether the caller has left, so that work for nobody can stop.
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
