import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How much of a body, and for how long, is read and discarded after its request was answered. */
const discarded = { bytes: 16 * 1024 * 1024, ms: 10_000 } as const;

/** Resolves when a body ended, or when as much of it was discarded as allowed. */
function discard(body: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, discarded.ms).unref();
  let bytes = 0;
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discarded.bytes) resolve();
  });
  for (const event of ['end', 'close', 'error']) body.once(event, resolve);
  body.resume();
  return promise.finally(() => clearTimeout(timer));
}

async function* withRest(text: string, body: IncomingMessage) {
  yield text;
  await discard(body);
}

/** Returns true if the connection ends with the response although the body of the request still arrives. */
export function closesUnread({ raw }: FastifyRequest, reply: FastifyReply): boolean {
  const isLast = reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;
  // A test without a socket has no `complete`.
  return isLast && raw.complete === false;
}

/**
 * Sends a response, then reads and discards the rest of the request's body up to a bound, and then ends the connection.
 * If the service closed it at once, the system would reset it, and many clients would report a broken pipe instead of the
 * response.
 */
export function sendBeforeRest(request: FastifyRequest, reply: FastifyReply, body: object | string): FastifyReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  reply.header('content-length', Buffer.byteLength(text));
  return reply.send(Readable.from(withRest(text, request.raw)));
}
