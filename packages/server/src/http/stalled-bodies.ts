import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../lib/error.ts';
import { isReceiving } from './streamed-body.ts';

/** What was last seen of a connection. */
interface Progress {
  request: IncomingMessage | undefined;
  bytesRead: number;
  /**
   * When bytes last arrived, or when the request last did not wait for bytes, in milliseconds of `performance.now()`.
   */
  atMs: number;
}

/** How many checks one limit is divided into: a body is refused at most a sixth of the limit late. */
const checksPerLimit = 6;

/**
 * Refuses a request with 408 `REQUEST.TIMEOUT` once no byte of its body has arrived for `limitMs`, and closes its
 * connection. Node limits only the duration of a whole request, and only the idle time of a whole connection, which
 * also has to cover slow handlers. Connections are checked at intervals, because a timer per request would cost every
 * request. `receiveBody` watches the bodies that it receives itself.
 */
export function refuseStalledBodies(app: FastifyInstance, limitMs: number): void {
  const connections = new Map<Socket, Progress>();
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, { request: undefined, bytesRead: 0, atMs: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  app.server.on('request', (request: IncomingMessage) => {
    const progress = connections.get(request.socket);
    if (progress !== undefined) progress.request = request;
  });
  const check = () => {
    const nowMs = performance.now();
    for (const [socket, progress] of connections) {
      const { request } = progress;
      const needsBytes = request !== undefined && !request.complete && !isReceiving(socket);
      if (!needsBytes || socket.bytesRead !== progress.bytesRead) {
        progress.bytesRead = socket.bytesRead;
        progress.atMs = nowMs;
      } else if (nowMs - progress.atMs >= limitMs) {
        refuse(request);
        connections.delete(socket);
      }
    }
  };
  const timer = setInterval(check, limitMs / checksPerLimit).unref();
  app.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    done();
  });
}

function refuse(request: IncomingMessage): void {
  // The body parser listens for errors while it reads. Otherwise, the request was answered before its body arrived.
  if (request.listenerCount('error') === 0) request.socket.destroy();
  else request.emit('error', stalled());
}

function stalled(): AppError {
  return new AppError('REQUEST.TIMEOUT', 'The body stopped arriving. Send the request again without pauses.', {
    headers: { connection: 'close' },
  });
}
