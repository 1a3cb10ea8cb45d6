import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientNetwork } from '../lib/cidr.ts';
import { AppError } from '../lib/error.ts';
import { isReceiving } from './streamed-body.ts';

/** What was last seen of a connection. */
interface Progress {
  request: FastifyRequest | undefined;
  /** The request whose body was not complete at the last check. */
  incomplete: FastifyRequest | undefined;
  bytesRead: number;
  /**
   * When bytes last arrived, or when the request last did not wait for bytes, in milliseconds of `performance.now()`.
   */
  atMs: number;
}

/** How many checks one limit is divided into: a body is refused at most a sixth of the limit late. */
const checksPerLimit = 6;

/** The number of bodies that may arrive slowly from one address. */
const slowPerAddress = 20;

/** Learns of each request. */
export interface StalledBodies {
  begin(request: FastifyRequest): void;
}

/**
 * Refuses a request with 408 `REQUEST.TIMEOUT` once no byte of its body has arrived for `limitMs`, and closes its
 * connection. Of one address (of an IPv6 address: its /64), only some bodies may take longer than from one check to the next;
 * the oldest further ones are refused too. Node limits only the duration of a whole request, and only the idle time of a
 * whole connection, which also has to cover slow handlers. Connections are checked at intervals, because a timer per request
 * would cost every request. `receiveBody` watches the bodies that it receives itself.
 */
export function refuseStalledBodies(app: FastifyInstance, limitMs: number): StalledBodies {
  const connections = new Map<Socket, Progress>();
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, { request: undefined, incomplete: undefined, bytesRead: 0, atMs: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  const check = () => {
    const slow = new Map<string, FastifyRequest[]>();
    for (const [socket, progress] of connections) {
      const state = look(socket, progress, limitMs);
      if (state === 'prompt' || progress.request === undefined) continue;
      if (state === 'stalled') {
        connections.delete(socket);
        refuse(progress.request.raw, 'The body stopped arriving. Send the request again without pauses.');
      } else slow.getOrInsertComputed(clientNetwork(progress.request.ip), () => []).push(progress.request);
    }
    for (const { raw } of [...slow.values()].flatMap((requests) => requests.slice(0, -slowPerAddress))) {
      connections.delete(raw.socket);
      refuse(raw, 'Too many bodies from this address arrive slowly. Send fewer at a time, each without pauses.');
    }
  };
  const timer = setInterval(check, limitMs / checksPerLimit).unref();
  app.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    done();
  });
  return {
    begin(request) {
      const progress = connections.get(request.raw.socket);
      if (progress !== undefined) progress.request = request;
    },
  };
}

/** Notes what arrived since the last check. Returns `slow` if the body of the request was incomplete then already. */
function look(socket: Socket, progress: Progress, limitMs: number): 'prompt' | 'slow' | 'stalled' {
  const { request } = progress;
  const nowMs = performance.now();
  const waiting = request === undefined || request.raw.complete || isReceiving(socket) ? undefined : request;
  const isSlow = waiting !== undefined && progress.incomplete === waiting;
  progress.incomplete = waiting;
  if (waiting === undefined || socket.bytesRead !== progress.bytesRead) {
    progress.bytesRead = socket.bytesRead;
    progress.atMs = nowMs;
  } else if (nowMs - progress.atMs >= limitMs) return 'stalled';
  return isSlow ? 'slow' : 'prompt';
}

function refuse(request: IncomingMessage, message: string): void {
  // The body parser listens for errors while it reads. Otherwise, the request was answered before its body arrived.
  if (request.listenerCount('error') === 0) request.socket.destroy();
  else request.emit('error', new AppError('REQUEST.TIMEOUT', message, { headers: { connection: 'close' } }));
}
